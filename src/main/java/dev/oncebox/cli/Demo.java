package dev.oncebox.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.operate.Reports;
import dev.oncebox.stub.Stub;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The main job as a play: forty items of which two repeat in other white space, an endpoint in this process that counts
 * what it accepts, and a runtime in a process of its own that is killed in the middle and started again.
 */
final class Demo {

    private static final String BATCH = "abstracts.jsonl";
    private static final int ITEMS = 40;
    private static final int DISTINCT = 38;
    private static final int KILL_AT = 18;
    private static final Duration ENDPOINT_DELAY = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    private final PrintWriter out;
    private final @Nullable Path wanted;

    Demo(PrintWriter out, @Nullable Path wanted) {
        this.out = out;
        this.wanted = wanted;
    }

    /** Plays it; true when everything came out as promised. */
    boolean play() throws IOException, InterruptedException {
        Path home = wanted == null ? Files.createTempDirectory("oncebox-demo-") : Files.createDirectories(wanted);
        try (Stub stub = Stub.start(Stub.Options.defaults().withDelay(ENDPOINT_DELAY))) {
            prepare(home, stub);
            say("A home in " + home + ", an endpoint on " + stub.uri() + " that counts, and a batch:");
            say("  inbox/" + BATCH + ": " + ITEMS + " abstracts, two of which repeat in other white space.");
            say("");

            Process first = start(home);
            waitUntilAccepted(stub, first);
            first.destroyForcibly().waitFor();
            long before = stub.count();
            say("Killed it (kill -9) when the endpoint had accepted " + before + " requests.");

            Process second = start(home);
            if (!second.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || second.exitValue() != 0) {
                second.destroyForcibly();
                say("The second run did not finish.");
                return false;
            }
            say("Started it again; it ended when nothing was left to do.");
            say("");
            return report(home, stub);
        }
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    private static void prepare(Path home, Stub stub) throws IOException {
        Files.createDirectories(home.resolve("config"));
        Files.createDirectories(home.resolve("inbox"));
        Files.writeString(home.resolve("config/application.properties"), """
                engine.default.url=%s
                engine.default.model=demo
                engine.default.concurrency=4
                engine.default.price.input=0.15
                engine.default.price.output=0.60
                """.formatted(stub.uri("/v1")));
        Path whole = home.resolve("inbox").resolve("." + BATCH);
        try (InputStream batch = Demo.class.getResourceAsStream("/demo/" + BATCH)) {
            Files.copy(Objects.requireNonNull(batch), whole, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(whole, home.resolve("inbox").resolve(BATCH), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The same program, in a process of its own. */
    private static Process start(Path home) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String property : List.of("oncebox.dist", "log4j2.configurationFile", "file.encoding")) {
            if (System.getProperty(property) != null) {
                command.add("-D" + property + "=" + System.getProperty(property));
            }
        }
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "dev.oncebox.Oncebox",
                "run",
                "--until-idle",
                "--home",
                home.toString()));
        var builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ENGINE_"));
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(new File(home.toFile(), "run.log")));
        return builder.start();
    }

    private static void waitUntilAccepted(Stub stub, Process process) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (stub.count() < KILL_AT && process.isAlive() && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private boolean report(Path home, Stub stub) throws IOException {
        Path answers = home.resolve("outbox").resolve(BATCH);
        List<String> lines = Files.readAllLines(answers);
        Set<String> keys = new LinkedHashSet<>();
        var mapper = new ObjectMapper();
        for (String line : lines) {
            keys.add(mapper.readTree(line).path("key").asText());
        }
        Set<String> inDoubt = new LinkedHashSet<>();
        try (Reports reports =
                Reports.open(new LedgerUrl.SqliteFile(home.resolve("data/ledger.db")), Clock.systemUTC())) {
            reports.journal(BATCH, line -> noteDoubt(mapper, line, inDoubt));
        }
        long counted = stub.count();
        say(lines.size() + " answers, in the order of the items");
        say(keys.size() + " distinct calls");
        say(counted + " requests accepted, by the endpoint's own count");
        if (inDoubt.isEmpty()) {
            say("No call was in flight at the kill.");
        } else {
            say(inDoubt.size() + " in flight at the kill: sent, and nobody could know whether they were processed."
                    + " The engine's on-doubt=resend sent them again:");
            inDoubt.forEach(key -> say("  " + key));
        }
        say("");
        say("Look at");
        say("  " + answers);
        say("  " + answers.resolveSibling(BATCH + ".receipt.json"));
        say("  oncebox status --home " + home);
        say("  oncebox journal " + BATCH + " --home " + home);
        return lines.size() == ITEMS
                && keys.size() == DISTINCT
                && counted <= DISTINCT + inDoubt.size()
                && counted >= DISTINCT;
    }

    private static void noteDoubt(ObjectMapper mapper, String line, Set<String> inDoubt) {
        try {
            JsonNode event = mapper.readTree(line);
            if (event.path("event").asText().equals("IN_DOUBT")) {
                inDoubt.add(event.path("key").asText());
            }
        } catch (IOException e) {
            throw new IllegalStateException("the journal printed a line that is not JSON: " + line, e);
        }
    }
}
