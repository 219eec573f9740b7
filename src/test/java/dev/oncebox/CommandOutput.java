package dev.oncebox;

import dev.oncebox.cli.OnceboxCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a command, run in this process, said and returned. */
record CommandOutput(int exit, String out, String err) {

    static CommandOutput of(TestHome home, String... args) {
        List<String> line = new ArrayList<>(List.of(args));
        line.addAll(List.of("--home", home.root().toString()));
        PrintStream out = System.out;
        PrintStream err = System.err;
        var said = new ByteArrayOutputStream();
        var complained = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
        try {
            int exit = OnceboxCommand.run(line.toArray(String[]::new));
            return new CommandOutput(
                    exit, said.toString(StandardCharsets.UTF_8), complained.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }
}
