package dev.oncebox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.operate.Reports;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A home folder as a user makes one, and the real product on it: in this process, or in one that can be killed. */
public final class TestHome {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path root;
    private Path distribution = Path.of(System.getProperty("oncebox.dist"));

    /** Makes a home whose engine "default" is the stub, with short backoffs; {@code properties} are added. */
    public TestHome(Path root, Stub stub, String... properties) {
        this.root = root;
        List<String> lines = new ArrayList<>(List.of(
                "engine.default.url=" + stub.uri("/v1"),
                "engine.default.model=test",
                "inbox.poll=50ms",
                "inbox.settle=0ms",
                "retry.delay=20ms",
                "retry.max-delay=200ms"));
        for (String property : properties) {
            String name = property.substring(0, property.indexOf('=') + 1);
            lines.removeIf(line -> line.startsWith(name));
            lines.add(property);
        }
        write("config/application.properties", String.join("\n", lines));
    }

    /** Has {@link #start} start another distribution than the one that was packaged. */
    public TestHome of(Path otherDistribution) {
        distribution = otherDistribution;
        return this;
    }

    public Path root() {
        return root;
    }

    public Path path(String relative) {
        return root.resolve(relative);
    }

    /** Writes a file of the home; not for the inbox, see {@link #drop}. */
    public void write(String relative, String content) {
        write(relative, content.getBytes(StandardCharsets.UTF_8));
    }

    private void write(String relative, byte[] content) {
        try {
            Path file = root.resolve(relative);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Drops a file below the inbox, renamed in whole. */
    public void drop(String name, byte[] content) {
        try {
            String hidden = name.substring(0, name.lastIndexOf('/') + 1) + ".dropping";
            write("inbox/" + hidden, content);
            Files.move(
                    root.resolve("inbox").resolve(hidden),
                    root.resolve("inbox").resolve(name),
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void drop(String name, String content) {
        drop(name, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Runs the product in this process until it is idle; returns the exit code. */
    public int runUntilIdle(String... more) {
        List<String> args = new ArrayList<>(List.of("run", "--until-idle", "--home", root.toString()));
        args.addAll(List.of(more));
        return OnceboxCommand.run(args.toArray(String[]::new));
    }

    /** Starts {@code bin/oncebox} of the packaged distribution; its output goes to {@code run.log} in the home. */
    public Process start(List<String> environment, String... args) {
        try {
            List<String> command = new ArrayList<>(List.of(distribution + "/bin/oncebox"));
            command.addAll(List.of(args));
            command.addAll(List.of("--home", root.toString()));
            var builder = new ProcessBuilder(command);
            for (String variable : environment) {
                int at = variable.indexOf('=');
                builder.environment().put(variable.substring(0, at), variable.substring(at + 1));
            }
            builder.redirectErrorStream(true);
            builder.redirectOutput(
                    ProcessBuilder.Redirect.appendTo(root.resolve("run.log").toFile()));
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String read(String relative) {
        try {
            return Files.readString(root.resolve(relative));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean exists(String relative) {
        return Files.exists(root.resolve(relative));
    }

    public JsonNode json(String relative) {
        return parse(read(relative));
    }

    /** The lines of a JSON Lines file. */
    public List<JsonNode> lines(String relative) {
        return read(relative).lines().map(TestHome::parse).toList();
    }

    /** The journal of a key or a file, as the command prints it. */
    public List<JsonNode> journal(String keyOrFile) {
        List<JsonNode> events = new ArrayList<>();
        try (Reports reports =
                Reports.open(new LedgerUrl.SqliteFile(root.resolve("data/ledger.db")), Clock.systemUTC())) {
            reports.journal(keyOrFile, line -> events.add(parse(line)));
        }
        return events;
    }

    /** The kinds of a journal's events, in order. */
    public List<String> events(String keyOrFile) {
        return journal(keyOrFile).stream()
                .map(event -> event.path("event").asText())
                .toList();
    }

    public JsonNode status() {
        try (Reports reports =
                Reports.open(new LedgerUrl.SqliteFile(root.resolve("data/ledger.db")), Clock.systemUTC())) {
            return parse(reports.status(root.resolve("rejected"), List.of("default"), List.of("default"))
                    .json());
        }
    }

    /** All regular files below a folder of the home, by their path in it, sorted. */
    public List<String> files(String folder) {
        Path top = root.resolve(folder);
        try (Stream<Path> files = Files.walk(top)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> top.relativize(file).toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }
}
