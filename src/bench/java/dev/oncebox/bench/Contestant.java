package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A way to have prompts answered, as a process. */
interface Contestant {

    /** As the table calls it. */
    String name();

    /**
     * @param environment variables that it needs beside the inherited ones
     * @param answers the file or folder in which its answers are afterwards
     */
    record Plan(List<String> command, Map<String, String> environment, Path answers) {}

    /**
     * Prepares a fresh start.
     *
     * @param javaOptions to be given to Java, if it is a Java program
     */
    Plan plan(Load load, Path folder, List<String> javaOptions) throws IOException;
}
