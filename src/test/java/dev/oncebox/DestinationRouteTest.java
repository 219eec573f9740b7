package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Channel Adapter: a destination as an integrator writes one, out of the template, beside the outbox folder. */
class DestinationRouteTest extends StubbedHome {

    private static final String DESTINATION = """
            - templatedRoute:
                routeTemplateRef: outbox
                routeId: outbox-told
                parameters:
                  - name: destination
                    value: "{{told.url}}"
                  - name: id
                    value: Item
            """;

    /** What the destination answers. */
    private final AtomicReference<Map<Integer, Integer>> statuses = new AtomicReference<>(Map.of());

    private final AtomicInteger asked = new AtomicInteger();
    private Listening listening;

    @BeforeEach
    void listen() throws IOException {
        listening = new Listening((request, n, exchange) ->
                Listening.reply(exchange, statuses.get().getOrDefault(asked.incrementAndGet(), 200), ""));
    }

    @AfterEach
    void stopListening() {
        listening.close();
    }

    private TestHome told() {
        TestHome home = home("told.url=" + listening.uri("/results"));
        copyRoutes(home);
        home.write("routes/6-outbox/told.camel.yaml", DESTINATION);
        return home;
    }

    private List<String> ids() {
        return listening.posts().stream()
                .map(post -> post.headers().get("item"))
                .toList();
    }

    private static long delivered(TestHome home) {
        return number(home, "SELECT count(*) FROM file WHERE state = 'DELIVERED'");
    }

    @Test
    void each_result_goes_to_a_destination_by_its_id_and_the_files_to_the_outbox_as_ever() {
        TestHome home = told();
        home.drop(
                "x.jsonl",
                "{\"id\":\"a\",\"text\":\"one\"}\n{broken\n{\"id\":12345678901234567890,\"text\":\"two\"}\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(ids()).containsExactly("a", "2", "12345678901234567890");
        List<JsonNode> told =
                listening.posts().stream().map(post -> tree(post.body())).toList();
        assertThat(all(told, "/file")).containsOnly("x.jsonl");
        assertThat(all(told, "/id")).isEqualTo(ids());
        assertThat(told.get(0).path("answer").asText()).endsWith("one");
        assertThat(told.get(0).path("key").asText()).hasSize(64);
        assertThat(told.get(1).at("/error/code").asText()).isEqualTo("bad_json");
        assertThat(listening.posts().get(2).body()).contains("\"id\":12345678901234567890,");
        assertThat(home.files("outbox")).containsExactly("x.errors.jsonl", "x.jsonl", "x.jsonl.receipt.json");
        assertThat(home.events("x.jsonl")).contains("DELIVERED");
        assertThat(delivered(home)).isEqualTo(1);
    }

    @Test
    void a_destination_that_refuses_a_result_gets_the_file_again_and_nothing_is_paid_or_written_twice() {
        statuses.set(Map.of(2, 500, 4, 502));
        TestHome home = told();
        home.drop("x.jsonl", "\"one\"\n\"two\"\n\"three\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(ids()).containsExactly("1", "2", "1", "2", "1", "2", "3");
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        assertThat(stub.count()).isEqualTo(3);
        assertThat(delivered(home)).isEqualTo(1);
        assertThat(number(home, "SELECT count(*) FROM event WHERE kind = 'DELIVERED'"))
                .isEqualTo(1);
    }

    @Test
    void a_file_counts_as_delivered_only_when_every_destination_has_it_and_a_restart_goes_on() throws Exception {
        TestHome home = told();
        home.write("outbox/default", "a file where a folder should be");
        home.drop("default/x.md", "one");
        try (var working = new Working(home)) {
            working.until(() -> assertThat(ids()).containsExactly("1"));
            assertThat(delivered(home)).isZero();
        }
        Files.delete(home.path("outbox/default"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(delivered(home)).isEqualTo(1);
        assertThat(home.read("outbox/default/x.md")).endsWith("one");
        assertThat(ids()).containsExactly("1", "1");
        assertThat(stub.count()).isEqualTo(1);
    }
}
