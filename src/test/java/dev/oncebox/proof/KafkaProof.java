package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.Launched;
import dev.oncebox.ShellCommand;
import dev.oncebox.TestHome;
import dev.oncebox.stub.Stub;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kafka in and out, the packaged distribution against a real broker: offsets are committed after the ledger has the
 * items, and what comes twice is neither paid nor lost.
 */
@Execution(ExecutionMode.CONCURRENT)
class KafkaProof {

    private static final String GROUP = "asking";

    @TempDir
    private static Path shared;

    private static KafkaBroker broker;
    /** A distribution with the jars that its README says how to get. */
    private static Path distribution;

    @TempDir
    private Path folder;

    private Stub stub;
    private TestHome home;
    private String in;
    private String out;

    @BeforeAll
    static void startBroker() throws Exception {
        Files.createDirectories(shared.resolve("broker"));
        broker = new KafkaBroker(shared.resolve("broker"));
        distribution = shared.resolve("oncebox");
        Path packaged = Path.of(System.getProperty("oncebox.dist"));
        Machine.done("cp", "-r", packaged.toString(), distribution.toString());
        String command = Files.readAllLines(distribution.resolve("lib/ext/README.txt")).stream()
                .filter(line -> line.contains("mvn "))
                .findFirst()
                .orElseThrow()
                .strip();
        ShellCommand.Result fetched = ShellCommand.of("sh", "-euc", command.replace("mvn ", "mvn -q -B "))
                .in(distribution)
                .run();
        assertThat(fetched.exit()).as(fetched.out() + fetched.err()).isZero();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    @BeforeEach
    void make(TestInfo test) throws Exception {
        stub = Stub.start(Stub.Options.defaults().withBodies());
        String name = test.getTestMethod().orElseThrow().getName();
        in = name.substring(0, 20) + ".in";
        out = name.substring(0, 20) + ".out";
        broker.make(in, 1);
        broker.make(out, 1);
        home = home();
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private TestHome home(String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "kafka.brokers=" + broker.address(),
                "kafka.inbox.topic=" + in,
                "kafka.inbox.group=" + GROUP + in,
                "kafka.outbox.topic=" + out,
                // a killed consumer's partitions are free after this
                "camel.component.kafka.session-timeout-ms=2000",
                "camel.component.kafka.heartbeat-interval-ms=500",
                "camel.component.kafka.max-block-ms=1000",
                "camel.component.kafka.request-timeout-ms=1000",
                "camel.component.kafka.delivery-timeout-ms=2000"));
        all.addAll(List.of(properties));
        return new TestHome(folder, stub, all.toArray(String[]::new)).of(distribution);
    }

    private Launched run(String javaOptions) {
        return Launched.quickly(home, javaOptions, "run");
    }

    private static void until(ThrowingRunnable assertion) {
        await().pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
    }

    private long committed() throws Exception {
        return broker.committed(GROUP + in, in);
    }

    private List<JsonNode> results() {
        return results(broker);
    }

    private List<JsonNode> results(KafkaBroker from) {
        return from.records(out).stream()
                .map(ConsumerRecord::value)
                .map(TestHome::parse)
                .toList();
    }

    private static List<String> ids(List<JsonNode> results) {
        return results.stream().map(result -> result.path("id").asText()).toList();
    }

    private static String question(String id, String text) {
        return "{\"id\":\"" + id + "\",\"text\":\"" + text + "\"}";
    }

    @Test
    void questions_of_a_topic_are_answered_in_another_by_their_ids() throws Exception {
        try (Launched run = run("")) {
            broker.send(in, question("a", "one"), question("b", "two"), "no JSON", question("c", "one"));

            until(() -> assertThat(ids(results())).containsExactlyInAnyOrder("a", "b", "c"));
            until(() -> assertThat(committed()).isEqualTo(4));
            run.signal("TERM");
            assertThat(run.exit()).isZero();
        }
        for (ConsumerRecord<String, String> record : broker.records(out)) {
            JsonNode result = TestHome.parse(record.value());
            assertThat(record.key()).isEqualTo(result.path("id").asText());
            assertThat(result.path("answer").asText()).isNotEmpty();
            assertThat(result.path("file").asText()).startsWith("default/" + in + "-0-");
        }
        assertThat(stub.count()).isEqualTo(2);
        assertThat(home.files("outbox/default")).hasSize(3);
        assertThat(home.files("rejected"))
                .containsExactly("default/" + in + "-0-2.json", "default/" + in + "-0-2.json.error.json");
    }

    /** The items are in the ledger, the offset is not committed: the record comes again, and changes nothing. */
    @Test
    void killed_between_ledger_and_commit_nothing_is_lost_or_paid_twice() throws Exception {
        broker.send(in, question("a", "one"), question("b", "two"));
        try (Launched run = run("-Doncebox.crash-at=AFTER_ARCHIVED")) {
            assertThat(run.exit()).isEqualTo(137);
        }
        assertThat(committed()).isZero();
        assertThat(home.files("archive")).containsExactly("default/" + in + "-0-0.json");

        try (Launched run = run("")) {
            until(() -> assertThat(committed()).isEqualTo(2));
            until(() -> assertThat(ids(results())).containsExactlyInAnyOrder("a", "b"));
            run.signal("TERM");
            assertThat(run.exit()).isZero();
        }
        assertThat(home.status().at("/files/taken").asLong()).isEqualTo(2);
        assertThat(stub.count()).isEqualTo(2);
        Figures.say(
                "KafkaProof: 2 records, killed with the first in the ledger and not committed, %d paid", stub.count());
    }

    /** With Kafka's own defaults the consumer would begin anew behind a first record that nobody has taken. */
    @Test
    void what_cannot_be_taken_in_is_asked_for_again_and_not_passed_over() throws Exception {
        home.write("archive/default", "a file where a folder should be");
        broker.send(in, question("a", "one"), question("b", "two"));
        try (Launched run = run("")) {
            until(() ->
                    assertThat(home.exists("inbox/default/" + in + "-0-0.json")).isTrue());
            assertThat(committed()).isZero();
            Files.delete(home.path("archive/default"));

            until(() -> assertThat(committed()).isEqualTo(2));
            until(() -> assertThat(ids(results())).contains("a", "b"));
        }
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_broker_that_goes_away_is_waited_for_and_no_result_is_lost() throws Exception {
        Files.createDirectories(shared.resolve("mortal"));
        try (var mortal = new KafkaBroker(shared.resolve("mortal"))) {
            mortal.make(out, 1);
            home = home("kafka.brokers=" + mortal.address(), "kafka.inbox.topic=");
            home.drop("before.jsonl", question("a", "one"));
            try (Launched run = run("")) {
                until(() -> assertThat(ids(results(mortal))).containsExactly("a"));
                mortal.kill();
                home.drop("meanwhile.jsonl", question("b", "two"));
                until(() -> assertThat(home.exists("outbox/meanwhile.jsonl")).isTrue());
                assertThat(delivered()).isEqualTo(1);
                mortal.start();

                until(() -> assertThat(ids(results(mortal))).contains("b"));
                until(() -> assertThat(delivered()).isEqualTo(2));
            }
        }
        assertThat(stub.count()).isEqualTo(2);
    }

    private long delivered() {
        return home.status().at("/files/delivered").asLong();
    }

    @Test
    void without_its_jars_a_start_says_where_they_go() {
        assertThat(refused()).contains("application.properties wants Camel's component kafka", "lib/ext/README.txt");

        home = new TestHome(folder, stub, "kafka.brokers=" + broker.address(), "kafka.inbox.topic=" + in);
        assertThat(refused()).contains("inbox-kafka wants Camel's component kafka", "lib/ext/README.txt");
    }

    private String refused() {
        ShellCommand.Result result = ShellCommand.of(
                        System.getProperty("oncebox.dist") + "/bin/oncebox", "run", "--home", folder.toString())
                .run();
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).doesNotContain("\tat ");
        return result.err();
    }
}
