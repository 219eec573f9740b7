package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.Database;
import dev.oncebox.Launched;
import dev.oncebox.TestHome;
import dev.oncebox.cli.OnceboxCommand;
import dev.oncebox.stub.Call;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** Lives through the deaths of one cell and compares what is left with a run that nobody disturbed. */
final class CrashTrial implements AutoCloseable {

    private static final String REFUSED_ONCE = "[[stub: 503; echo always]]";

    /** Seven items and five calls: one is refused once, one differs in white space alone, one cannot be read. */
    private static final String BATCH = """
            {"id":"i1","text":"Question 1."}
            {"id":"i2","text":"Question 2. %s"}
            {"id":"i3","text":"Question 3."}
            {"id":"i4","text":"Question 4."}
            {"id":"i5","text":"Question  1."}
            {"id":"i6","text":"Question 6."}
            {"id":"i7"}
            """.formatted(REFUSED_ONCE);

    private static final int CALLS = 5;
    private static final String SINGLE = "Question 1.";
    private static final String ECHO = "echo always";
    private static final List<String> TIMES = List.of("received", "firstSent", "lastAnswered");
    private static final List<String> OF_ATTEMPTS = List.of("attempts", "sentMoreThanOnce");
    private static final Map<String, Map<String, String>> UNDISTURBED = new ConcurrentHashMap<>();

    private static final ExecutorService TWO_AT_ONCE = Executors.newFixedThreadPool(2, task -> {
        Thread thread = new Thread(task, "crash-trials");
        thread.setDaemon(true);
        return thread;
    });

    private final CrashCell cell;
    private final Path folder;
    private final Stub stub = Stub.start(Stub.Options.defaults().withBodies().withScript(ECHO));
    private final Stub refusing =
            Stub.start(Stub.Options.defaults().withBodies().withScript("401 always"));
    private final TestHome home;
    private final String ledger;
    private final boolean shared;

    private CrashTrial(CrashCell cell, Path folder, boolean shared) throws IOException {
        this.cell = cell;
        this.folder = folder;
        this.shared = shared;
        this.ledger = shared
                ? Database.make().url()
                : Balance.address(folder.resolve("home").resolve("data/ledger.db"));
        this.home = new TestHome(
                Files.createDirectories(folder.resolve("home")),
                stub,
                "engine.default.url=" + (cell.isRefused() ? refusing : stub).uri("/v1"),
                "engine.default.concurrency=1",
                "engine.default.on-doubt=" + (cell.hold() ? "hold" : "resend"),
                "engine.second.url=" + stub.uri("/v1"),
                "engine.second.model=test",
                "engine.second.concurrency=1",
                "engine.second.on-doubt=" + (cell.hold() ? "hold" : "resend"),
                "ledger.lease=3s",
                "ledger.url=" + ledger);
        if (cell.isRefused()) {
            home.write("config/jobs/default/job.properties", "engines=default, second\n");
        }
        home.drop(cell.file(), cell.batch() ? batch() : SINGLE);
        if (cell.isRejected()) {
            home.drop("empty.jsonl", "\n");
        }
    }

    /** Lives through all of the cells, two at a time, on a file. */
    static Stream<DynamicTest> each(List<CrashCell> cells, Path folder) {
        return each(cells, folder, false);
    }

    /**
     * @param shared whether the ledger is in PostgreSQL, where a dead process is missed when its lease is over
     */
    static Stream<DynamicTest> each(List<CrashCell> cells, Path folder, boolean shared) {
        return cells.stream()
                .map(cell -> {
                    var lived = CompletableFuture.runAsync(() -> live(cell, folder, shared), TWO_AT_ONCE);
                    return DynamicTest.dynamicTest(cell.toString(), () -> {
                        try {
                            lived.join();
                        } catch (CompletionException e) {
                            throw e.getCause();
                        }
                    });
                })
                .toList()
                .stream();
    }

    private static void live(CrashCell cell, Path folder, boolean shared) {
        try (var trial = new CrashTrial(cell, Files.createTempDirectory(folder, "cell"), shared)) {
            trial.dieAndLiveOn();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Where an engine refuses everybody, its own endpoint must not answer the one that is refused once. */
    private String batch() {
        return cell.isRefused() ? BATCH.replace(" " + REFUSED_ONCE, "") : BATCH;
    }

    /** What stands in the outbox when nobody dies, by name. */
    private static Map<String, String> undisturbed(CrashCell cell, Path folder) {
        return UNDISTURBED.computeIfAbsent(cell.batch() + " " + cell.isRefused(), key -> {
            try (var trial = new CrashTrial(cell, Files.createTempDirectory(folder, "undisturbed"), false)) {
                assertThat(trial.home.runUntilIdle()).isZero();
                return trial.outbox();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private Map<String, String> outbox() {
        Map<String, String> files = new TreeMap<>();
        home.files("outbox").forEach(name -> files.put(name, home.read("outbox/" + name)));
        return files;
    }

    private void dieAndLiveOn() throws Exception {
        Map<String, String> expected = undisturbed(cell, folder);
        for (String at : cell.deaths()) {
            try (Launched dying = Launched.quickly(home, "-Doncebox.crash-at=" + at, "run", "--until-idle")) {
                assertThat(dying.exit()).as("it dies at " + at).isEqualTo(137);
            }
            assertNothingHalf(expected);
            if (cell.isRescued() && !home.exists("data/rescued.jsonl")) {
                rescue();
            }
        }
        try (Launched next = Launched.untilIdle(home)) {
            assertThat(next.exit()).isEqualTo(cell.hold() && doubts() > 0 ? 4 : 0);
        }
        int doubts = Math.toIntExact(rules().lost());
        if (cell.hold() && doubts() > 0) {
            assertThat(home.files("outbox"))
                    .as("nothing is delivered while in doubt")
                    .isEmpty();
            assertCount(doubts, 0);
            aPersonSendsThemAgain();
        }
        assertCount(doubts, doubts);
        if (shared) {
            Ends.sweepAfterTheDead(home);
            Ends.recordWhatTheDeadHadArchived(home, ledger);
        }
        assertEnd(expected, doubts);
    }

    /** Looks at a copy, so that the next process finds the ledger as the dead one left it. */
    private void assertNothingHalf(Map<String, String> expected) throws IOException {
        assertThat(brokenInACopy()).isEmpty();
        home.files("outbox").stream().filter(name -> !Balance.isTemporary(name)).forEach(name -> {
            assertThat(expected).containsKey(name);
            if (!name.endsWith(".receipt.json")) {
                assertThat(asNew(home.read("outbox/" + name))).isEqualTo(expected.get(name));
            }
        });
        assertThat(home.files("inbox").size()
                        + home.files("archive").size()
                        + home.files("rejected").stream()
                                .filter(name -> !name.contains(".error.json"))
                                .count())
                .as("what was dropped stands in one place")
                .isEqualTo(cell.isRejected() ? 2 : 1);
    }

    private List<String> brokenInACopy() throws IOException {
        if (shared) {
            return Balance.broken(ledger);
        }
        Path copy = Files.createDirectories(folder.resolve("copy"));
        for (String name : List.of("ledger.db", "ledger.db-wal")) {
            Files.deleteIfExists(copy.resolve(name));
            if (home.exists("data/" + name)) {
                Files.copy(home.path("data/" + name), copy.resolve(name));
            }
        }
        return Balance.broken(copy.resolve("ledger.db"));
    }

    private static String asNew(String answers) {
        return answers.replace("\"charged\":\"unknown\"", "\"charged\":\"new\"");
    }

    /** Puts the reply that the dead process had beside the ledger, as one does that can no longer write to it. */
    private void rescue() throws IOException, InterruptedException {
        Call call = stub.calls().get(stub.calls().size() - 1);
        String body;
        try (Stub same = Stub.start(Stub.Options.defaults().withScript(ECHO))) {
            body = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(same.uri("/v1/chat/completions"))
                                    .POST(HttpRequest.BodyPublishers.ofString(call.text()))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
        home.write(
                "data/rescued.jsonl",
                "{\"key\":\"%s\",\"fence\":1,\"engine\":\"default\",\"charged\":\"YES\",\"valid\":true,\"status\":200,\"body\":\"%s\"}\n"
                        .formatted(call.key(), Base64.getEncoder().encodeToString(body.getBytes())));
    }

    private long doubts() {
        return Balance.number(ledger, "SELECT count(*) FROM call WHERE state = 'DOUBT'");
    }

    private SendRules rules() {
        return SendRules.of(ledger, cell.hold() ? Set.of() : Set.of("default", "second"));
    }

    private void aPersonSendsThemAgain() {
        for (String key : inDoubt()) {
            assertThat(OnceboxCommand.run(
                            "doubt", "resend", key, "--home", home.root().toString()))
                    .isZero();
        }
        assertThat(home.runUntilIdle()).isZero();
    }

    private List<String> inDoubt() {
        try (var connection = Balance.open(ledger)) {
            return Balance.events(connection, "IN_DOUBT").keySet().stream()
                    .sorted()
                    .toList();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * @param doubts sends that were under way at a death
     * @param resent how many of them were sent again
     */
    private void assertCount(int doubts, int resent) {
        int calls = cell.batch() ? CALLS : 1;
        int refusals = cell.batch() && !cell.isRefused() && !cell.losesRefusal() ? 1 : 0;
        assertThat(doubts).as("sends under way at the deaths").isGreaterThanOrEqualTo(cell.doubts());
        if (doubts == cell.doubts()) {
            boolean resends = resent > 0 || !cell.hold();
            assertThat(stub.count())
                    .as("what the endpoint counted")
                    .isEqualTo(calls + refusals - cell.unsent() + (resends ? doubts : 0));
        } else {
            // at each engine in use a call was sent beside the one that the death was meant for; whether it left is
            // open
            int engines = cell.isRefused() ? 2 : 1;
            assertThat(doubts)
                    .isLessThanOrEqualTo(cell.doubts() + engines * cell.deaths().size());
            assertThat(stub.count()).isBetween((long) calls - doubts, (long) calls + refusals + doubts);
        }
    }

    private void assertEnd(Map<String, String> expected, int doubts) {
        Set<String> doubtful = Set.copyOf(inDoubt());
        Map<String, String> outbox = outbox();
        assertThat(outbox.keySet()).isEqualTo(expected.keySet());
        outbox.forEach((name, content) -> {
            if (name.endsWith(".receipt.json")) {
                assertReceipt(home.json("outbox/" + name), expected.get(name), doubtful.size());
            } else {
                assertThat(content).isEqualTo(told(expected.get(name), doubtful));
            }
        });
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.files("archive")).containsExactly(cell.file());
        assertThat(home.files("rejected"))
                .isEqualTo(cell.isRejected() ? List.of("empty.jsonl", "empty.jsonl.error.json") : List.of());
        SendRules rules = rules();
        assertThat(rules.broken(ledger)).isEmpty();
        assertThat(rules.contradictions(stub, refusing)).isEmpty();
        assertThat(rules.lost()).isEqualTo(doubts);
        Balance.assertEnd(home, ledger, stub);
    }

    /** An answer that was perhaps paid twice says so, and nothing else may differ. */
    private static String told(String answers, Set<String> doubtful) {
        return answers.lines()
                        .map(line -> doubtful.stream().anyMatch(line::contains)
                                ? line.replace("\"charged\":\"new\"", "\"charged\":\"unknown\"")
                                : line)
                        .collect(Collectors.joining("\n"))
                + (answers.endsWith("\n") ? "\n" : "");
    }

    private static void assertReceipt(JsonNode receipt, String undisturbed, int doubtful) {
        JsonNode expected = TestHome.parse(undisturbed);
        for (JsonNode each : List.of(receipt, expected)) {
            ((ObjectNode) each).remove(TIMES);
            ((ObjectNode) each).remove(OF_ATTEMPTS);
        }
        ObjectNode calls = (ObjectNode) expected.path("calls");
        calls.put("new", calls.path("new").asInt() - doubtful);
        calls.put("inDoubt", doubtful);
        ObjectNode charged = (ObjectNode) expected.path("charged");
        charged.put("new", charged.path("new").asInt() - doubtful);
        charged.put("unknown", doubtful);
        assertThat(receipt).isEqualTo(expected);
    }

    @Override
    public void close() {
        stub.close();
        refusing.close();
    }
}
