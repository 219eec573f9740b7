package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code oncebox ask} where the engine takes the question on and answers later. */
class AskLaterTest extends StubbedHome {

    @TempDir
    Path elsewhere;

    private TestHome asynchronous(String poll) {
        return home(
                "engine.default.protocol=async",
                "engine.default.url=" + stub.uri("/jobs"),
                "engine.default.answer=/summary",
                "engine.default.poll=" + poll);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(elsewhere.resolve("b.md"), text);
    }

    private static CommandOutput ask(TestHome home, Path file, String... more) {
        String[] line = new String[more.length + 2];
        line[0] = "ask";
        System.arraycopy(more, 0, line, 1, more.length);
        line[line.length - 1] = file.toString();
        return CommandOutput.of(home, line);
    }

    @Test
    void what_is_accepted_is_queued_then_processing_and_asked_for_no_sooner_than_it_may_be() throws IOException {
        TestHome home = asynchronous("1h");
        Path file = file("How many bees? [[stub: ready=60m]]");

        CommandOutput first = ask(home, file, "--json");

        assertThat(first.exit()).as(first.err()).isEqualTo(42);
        assertThat(tree(first.out()).path("url").asText()).startsWith("http://");
        assertThat(home.read("outbox/default/b.md.url"))
                .contains(tree(first.out()).path("url").asText());
        assertThat(ask(home, file).exit()).isEqualTo(3);
        assertThat(ask(home, file, "--wait", "500ms").exit()).isEqualTo(3);
        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.events("default/b.md")).doesNotContain("POLLED");
    }

    @Test
    void asking_again_when_it_is_due_asks_the_engine_and_brings_the_answer() throws IOException {
        TestHome home = asynchronous("300ms");
        Path file = file("How many bees? [[stub: ready=60m]]");
        assertThat(ask(home, file).exit()).isEqualTo(42);

        stub.release();
        await().until(() -> ask(home, file).exit() == 0);

        assertThat(home.files("outbox")).containsExactly("default/b.md");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void whoever_says_how_long_waits_for_the_answer() throws IOException {
        TestHome home = asynchronous("200ms");
        Path file = file("How many bees? [[stub: ready=1s]]");

        CommandOutput asked = ask(home, file, "--wait", "30s");

        assertThat(asked.exit()).as(asked.err()).isZero();
        assertThat(asked.out()).isEqualTo(home.path("outbox/default/b.md") + "\n");
        assertThat(stub.count()).isEqualTo(1);
    }
}
