package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * For whom a call is made: the first item that asks for it.
 *
 * @param file below the inbox
 * @param line where the item begins in it, counted from 1; in an array its place
 * @param id as JSON text; null: the client gave none
 * @param others how many items ask for the same beside it
 */
public record Asker(String file, long line, @Nullable String id, long others) {}
