package dev.oncebox;

import dev.oncebox.cli.OnceboxCommand;

/** The program. */
public final class Oncebox {

    private Oncebox() {}

    public static void main(String[] args) {
        System.exit(OnceboxCommand.run(args));
    }
}
