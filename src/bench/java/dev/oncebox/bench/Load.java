package dev.oncebox.bench;

import java.nio.file.Path;

/**
 * What a contestant is to do.
 *
 * @param prompts a file with one a line
 * @param calls how many there are, all distinct
 * @param inFlight how many calls at once
 */
record Load(Path prompts, int calls, int inFlight) {}
