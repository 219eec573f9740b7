package dev.oncebox.bench;

import java.io.IOException;

/** Measures something in several rounds and reports it. */
interface Measurement {

    void run(Report report) throws IOException, InterruptedException;
}
