package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the README that somebody types in the first minutes, as they stand there. */
class ReadmeIT {

    private static final Path DIST = Path.of(System.getProperty("oncebox.dist"));

    @TempDir
    private Path folder;

    private Result typed(String commands) {
        Result result = ShellCommand.of("bash", "-euc", commands)
                .in(folder)
                .with("PATH", DIST.resolve("bin") + ":" + System.getenv("PATH"))
                .with("JAVA_OPTS", Launched.quickOptions())
                .run();
        assertThat(result.exit()).as(result.err() + result.out()).isZero();
        return result;
    }

    @Test
    void from_a_dropped_file_to_its_answer() throws IOException {
        String home = folder.resolve("trial").toString();
        String commands = Readme.FIRST_ANSWER
                .commands()
                .replaceFirst("mvn .*\n", "")
                .replaceFirst("export PATH=.*\n", "")
                .replace("/tmp/trial", home);
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            // the endpoint of the test has a port of its own; the command's would be anybody's
            String port = String.valueOf(stub.uri("/").getPort());
            String out = typed(commands.replaceFirst("oncebox stub &.*\n", "")
                            .replace("kill %1\n", "")
                            .replace("8089", port))
                    .out();

            assertThat(out).contains("{\"id\":\"a\",\"answer\":", "{\"id\":\"b\",\"answer\":", "\"event\":\"SENT\"");
            assertThat(stub.count()).isEqualTo(1);
        }
    }

    @Test
    void jobs_by_example() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            configure(stub);

            String out = typed(Readme.SUMMARIES.commands() + Readme.CLASSIFICATION.commands() + Readme.TABLE.commands())
                    .out();

            assertThat(out)
                    .contains(
                            "Bees tell each",
                            "\"id\":\"m-17\",\"answer\":{\"topic\":\"billing\",\"urgent\":",
                            "sku;name;text;answer;charged",
                            "A1;Hive;\"A box for bees; wood\";",
                            "A2;Hive;\"A box for bees;  wood\";");
            assertThat(stub.count())
                    .as("one summary, two mails, two of three rows")
                    .isEqualTo(5);
        }
    }

    @Test
    void a_script_asks_for_a_file_and_takes_another_way_only_when_it_failed() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            configure(stub);
            String script = "examples/ask-or-else.sh";
            Files.createDirectory(folder.resolve("examples"));
            Files.copy(DIST.resolve(script), folder.resolve(script), StandardCopyOption.COPY_ATTRIBUTES);
            Files.writeString(
                    Files.createDirectory(folder.resolve("srv-questions")).resolve("today.md"), "Why?");

            String out = typed((Readme.ASK.commands() + Readme.ASK_OR_ELSE.commands())
                            .replace("/srv/questions", folder + "/srv-questions"))
                    .out();

            assertThat(out.lines())
                    .containsExactly(
                            folder.resolve("outbox/default/today.md").toString(),
                            "that is where the answer is",
                            "[call 1] Why?");
            assertThat(stub.count()).isEqualTo(1);
        }
    }

    private void configure(Stub stub) throws IOException {
        Files.createDirectories(folder.resolve("config"));
        Files.writeString(
                folder.resolve("config/application.properties"),
                "engine.default.url=" + stub.uri("/v1") + "\nengine.default.model=stub\n");
    }
}
