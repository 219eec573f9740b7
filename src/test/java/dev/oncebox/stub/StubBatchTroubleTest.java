package dev.oncebox.stub;

import static dev.oncebox.stub.StubBatches.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can go wrong with a batch, asked for by a directive in one of its lines. */
@Timeout(30)
class StubBatchTroubleTest {

    private Stub stub;
    private StubBatches batches;

    @BeforeEach
    void start() throws IOException {
        stub = Stub.start(Stub.Options.defaults());
        batches = new StubBatches(StubHttp.of(stub));
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void a_batch_takes_its_polls_and_its_time() throws Exception {
        JsonNode slow = batches.create(three("batch-polls=2"));
        assertThat(batches.get(slow).path("status").asText()).isEqualTo("validating");
        assertThat(batches.get(slow).path("status").asText()).isEqualTo("in_progress");
        assertThat(batches.get(slow).path("status").asText()).isEqualTo("completed");

        long start = System.nanoTime();
        JsonNode timed = batches.create(three("batch-ready=300ms"));
        await().until(() -> batches.get(timed).path("status").asText().equals("completed"));
        assertThat(System.nanoTime() - start).isGreaterThan(299_000_000L);
    }

    @Test
    void a_batch_fails_the_first_time_only() throws Exception {
        List<String> lines = three("batch-failed=token_limit_exceeded");

        JsonNode failed = batches.get(batches.create(lines));
        assertThat(failed.path("status").asText()).isEqualTo("failed");
        assertThat(failed.at("/errors/data/0/code").asText()).isEqualTo("token_limit_exceeded");
        assertThat(stub.submissions()).isEmpty();
        assertThat(batches.get(batches.create(lines)).path("status").asText()).isEqualTo("completed");
        assertThat(stub.charged()).isEqualTo(Map.of("a", 1, "b", 1, "c", 1));
    }

    @Test
    void a_batch_expires_with_some_lines_done() throws Exception {
        JsonNode batch = batches.get(batches.create(three("batch-expired=1")));

        assertThat(batch.path("status").asText()).isEqualTo("expired");
        assertThat(batches.file(batch, "output_file_id")).hasSize(1);
        List<JsonNode> expired = batches.file(batch, "error_file_id");
        assertThat(expired).hasSize(2);
        assertThat(expired.get(0).path("response").isNull()).isTrue();
        assertThat(expired.get(0).at("/error/code").asText()).isEqualTo("batch_expired");
        assertThat(stub.submissions()).hasSize(3);
        assertThat(stub.charged()).isEqualTo(Map.of("a", 1));
    }

    @Test
    void a_cancelled_batch_may_have_some_lines_done() throws Exception {
        JsonNode created = batches.create(three("batch-polls=9 batch-expired=1"));

        assertThat(StubHttp.json(batches.cancel(created)).path("status").asText())
                .isEqualTo("cancelling");
        JsonNode batch = batches.get(created);

        assertThat(batch.path("status").asText()).isEqualTo("cancelled");
        assertThat(batches.file(batch, "output_file_id")).hasSize(1);
        assertThat(batches.file(batch, "error_file_id")).hasSize(2);
        assertThat(batch.at("/request_counts/failed").asInt()).isEqualTo(2);
        assertThat(stub.charged()).isEqualTo(Map.of("a", 1));
    }

    @ParameterizedTest
    @CsvSource({"batch-missing=1, 2, 2", "batch-double=1, 4, 3", "batch-unknown=1, 4, 4"})
    void lines_are_missing_or_double_or_foreign(String word, int lines, int ids) throws Exception {
        JsonNode batch = batches.get(batches.create(three(word)));

        List<JsonNode> output = batches.file(batch, "output_file_id");

        assertThat(output).hasSize(lines);
        assertThat(output.stream().map(line -> line.path("custom_id")).distinct())
                .hasSize(ids);
        assertThat(batch.path("error_file_id").isNull()).isTrue();
        assertThat(stub.charged()).isEqualTo(Map.of("a", 1, "b", 1, "c", 1));
    }

    @Test
    void a_completed_batch_may_have_no_files() throws Exception {
        JsonNode nulls = batches.get(batches.create(three("batch-null-files")));
        assertThat(nulls.path("status").asText()).isEqualTo("completed");
        assertThat(nulls.path("output_file_id").isNull()).isTrue();
        assertThat(nulls.path("error_file_id").isNull()).isTrue();
        JsonNode empty = batches.get(batches.create(three("batch-empty-files")));
        assertThat(empty.path("output_file_id").asText("?")).isEmpty();
        JsonNode refused = batches.get(batches.create(List.of(line("a", "[[stub: 400]]"))));
        assertThat(refused.path("output_file_id").isNull()).isTrue();
        assertThat(batches.file(refused, "error_file_id")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"create-reset", "create-close", "create=cut"})
    void a_creation_whose_reply_is_lost_is_found_by_listing(String word) throws Exception {
        assertThatThrownBy(() -> batches.create(three(word))).isInstanceOf(IOException.class);

        JsonNode list = batches.http().getJson("/v1/batches");
        assertThat(list.path("data")).hasSize(1);
        assertThat(list.at("/data/0/metadata/key").asText()).isEqualTo("ours");
        assertThat(stub.submissions()).isEqualTo(Map.of("a", 1, "b", 1, "c", 1));
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_lost_or_refused_creation_makes_no_batch() throws Exception {
        assertThatThrownBy(() -> batches.create(three("create-lost"))).isInstanceOf(IOException.class);
        assertThat(batches.create(three("create=503")).at("/error/type").asText())
                .isEqualTo("server_error");

        assertThat(batches.http().getJson("/v1/batches").path("data")).isEmpty();
        assertThat(stub.submissions()).isEmpty();
        assertThat(batches.create(three("create-lost")).path("status").asText()).isEqualTo("validating");
        assertThat(stub.submissions()).hasSize(3);
    }

    @Test
    void a_new_batch_may_be_listed_late_and_found_late() throws Exception {
        JsonNode batch = batches.create(three("list-lag=2 batch-lag=1 batch-poll=ok,500"));
        StubHttp http = batches.http();

        assertThat(http.getJson("/v1/batches").path("data")).isEmpty();
        assertThat(http.getJson("/v1/batches").path("data")).isEmpty();
        assertThat(http.getJson("/v1/batches").path("data")).hasSize(1);
        String path = "/v1/batches/" + batch.path("id").asText();
        assertThat(http.get(path).statusCode()).isEqualTo(404);
        assertThat(http.get(path).statusCode()).isEqualTo(500);
        assertThat(http.getJson(path).path("status").asText()).isEqualTo("completed");
    }

    @Test
    void a_download_may_break_and_a_line_may_go_its_own_way() throws Exception {
        JsonNode batch = batches.get(batches.create(List.of(
                line("a", "[[stub: batch-content=503,cut]]"),
                line("b", "[[stub: expired]]"),
                line("c", "[[stub: failed]]"),
                line("d", "[[stub: finish=length]] x"))));
        StubHttp http = batches.http();
        String path = "/v1/files/" + batch.path("output_file_id").asText() + "/content";

        assertThat(http.get(path).statusCode()).isEqualTo(503);
        assertThatThrownBy(() -> http.get(path)).isInstanceOf(IOException.class);
        assertThat(batches.file(batch, "output_file_id")).hasSize(2);
        assertThat(batches.file(batch, "error_file_id").stream()
                        .map(line -> line.at("/error/code").asText()))
                .containsExactlyInAnyOrder("batch_expired", "request_timeout");
    }

    @Test
    void an_upload_may_be_refused_and_its_reply_lost() throws Exception {
        String content = line("a", "[[stub: upload=500; upload=close]] x");
        StubHttp http = batches.http();

        assertThat(http.upload("batch", content).statusCode()).isEqualTo(500);
        assertThat(http.getJson("/v1/files").path("data")).isEmpty();
        assertThatThrownBy(() -> http.upload("batch", content)).isInstanceOf(IOException.class);
        assertThat(http.getJson("/v1/files").path("data")).hasSize(1);
        assertThat(http.upload("batch", content).statusCode()).isEqualTo(200);
        assertThat(stub.count()).isZero();
    }

    @Test
    void a_listing_may_fail() throws Exception {
        assertThatThrownBy(() -> batches.create(three("create-close list=503,cut list-lag=1")))
                .isInstanceOf(IOException.class);
        StubHttp http = batches.http();

        assertThat(http.get("/v1/batches").statusCode()).isEqualTo(503);
        assertThatThrownBy(() -> http.get("/v1/batches")).isInstanceOf(IOException.class);
        assertThat(http.getJson("/v1/batches").path("data")).isEmpty();
        assertThat(http.getJson("/v1/batches").path("data")).hasSize(1);
    }

    @Test
    void the_stubs_own_script_may_be_about_batches() throws Exception {
        stub.close();
        stub = Stub.start(Stub.Options.defaults().withScript("batch-polls=1 always"));
        batches = new StubBatches(StubHttp.of(stub));

        JsonNode batch = batches.create(List.of(line("a", "x")));

        assertThat(batches.get(batch).path("status").asText()).isEqualTo("validating");
        assertThat(batches.get(batch).path("status").asText()).isEqualTo("completed");
    }

    private static List<String> three(String words) {
        return List.of(line("a", "x"), line("b", "[[stub: " + words + "]] y"), line("c", "z"));
    }
}
