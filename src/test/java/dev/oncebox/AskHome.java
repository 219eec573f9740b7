package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code bin/oncebox ask} on a home, as cron calls it: a process of its own, its two outputs apart. */
record AskHome(TestHome home, Path elsewhere) {

    /** Many processes at once share the machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    Path file(String name, String content) {
        try {
            return Files.writeString(elsewhere.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks, and asserts that standard output holds the path of the answer or nothing. */
    Result ask(Path file, String... more) {
        List<String> words = new ArrayList<>(List.of(script(), "ask"));
        words.addAll(List.of(more));
        words.addAll(List.of("--home", home.root().toString(), file.toString()));
        Result result = ShellCommand.of(words.toArray(String[]::new))
                .with("JAVA_OPTS", Launched.quickOptions())
                .run(PATIENCE);
        assertThat(result.out()).as(result.err()).isEqualTo(result.exit() == 0 ? answer(file) + "\n" : "");
        return result;
    }

    Path answer(Path file) {
        return home.path("outbox/default/" + file.getFileName());
    }

    /** Begins to ask; what it says goes to the log of the home. */
    Launched begin(Path file, String... more) {
        List<String> words = new ArrayList<>(List.of("ask"));
        words.addAll(List.of(more));
        words.add(file.toString());
        return Launched.quickly(home, "", words.toArray(String[]::new));
    }

    static String script() {
        return System.getProperty("oncebox.dist") + "/bin/oncebox";
    }
}
