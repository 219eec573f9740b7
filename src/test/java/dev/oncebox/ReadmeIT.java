package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the README that somebody types in the first minutes, as they stand there. */
class ReadmeIT {

    private static final Path DIST = Path.of(System.getProperty("oncebox.dist"));

    @TempDir
    private Path folder;

    /** All commands below a heading. */
    private static String commands(String heading) throws IOException {
        String all = Files.readString(DIST.resolve("README.md"));
        String begun = all.substring(all.indexOf("\n" + heading + "\n") + 1);
        String section = begun.split("\n##", 2)[0];
        String commands = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
                .matcher(section)
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining());
        assertThat(commands).isNotEmpty();
        return commands;
    }

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
        String commands = commands("## From a dropped file to its answer")
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
            Files.createDirectories(folder.resolve("config"));
            Files.writeString(
                    folder.resolve("config/application.properties"),
                    "engine.default.url=" + stub.uri("/v1") + "\nengine.default.model=stub\n");

            String out = typed(commands("### Jobs by example")).out();

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
}
