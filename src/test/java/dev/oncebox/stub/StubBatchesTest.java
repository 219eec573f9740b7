package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The stub as OpenAI's files and batches. */
@Timeout(60)
class StubBatchesTest {

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
    void a_file_is_kept_until_it_is_deleted() throws Exception {
        StubHttp http = batches.http();
        JsonNode file = StubHttp.json(http.upload("batch", "{\"ä\": 1}\r\n\r\n"));
        String path = "/v1/files/" + file.path("id").asText();

        assertThat(file.path("id").asText()).startsWith("file-");
        assertThat(file.path("object").asText()).isEqualTo("file");
        assertThat(file.path("bytes").asInt()).isEqualTo(13);
        assertThat(file.path("filename").asText()).isEqualTo("in.jsonl");
        assertThat(file.path("purpose").asText()).isEqualTo("batch");
        assertThat(http.getJson(path)).isEqualTo(file);
        assertThat(http.get(path + "/content").body()).isEqualTo("{\"ä\": 1}\r\n\r\n");
        assertThat(http.getJson("/v1/files?purpose=batch").at("/data/0")).isEqualTo(file);
        assertThat(http.getJson("/v1/files?purpose=other").path("data")).isEmpty();
        assertThat(StubHttp.json(http.delete(path)).path("deleted").asBoolean()).isTrue();
        assertThat(http.get(path).statusCode()).isEqualTo(404);
        assertThat(http.post("/v1/files", StubHttp.object()).statusCode()).isEqualTo(400);
        StubHttp.assertCounts(stub, 0, 0, 0, 0, 0);
    }

    @Test
    void a_batch_answers_each_line_in_no_order() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lines.add(StubBatches.line("id-" + i, "Letter " + i));
        }
        lines.set(7, StubBatches.line("id-7", "[[stub: 400 context_length_exceeded]]"));
        JsonNode created = batches.create(lines);

        assertThat(created.path("object").asText()).isEqualTo("batch");
        assertThat(created.path("status").asText()).isEqualTo("validating");
        assertThat(created.path("output_file_id").isNull()).isTrue();
        assertThat(created.at("/metadata/key").asText()).isEqualTo("ours");

        JsonNode batch = batches.get(created);
        assertThat(batch.path("status").asText()).isEqualTo("completed");
        assertThat(batch.at("/request_counts/total").asInt()).isEqualTo(50);
        assertThat(batch.at("/request_counts/completed").asInt()).isEqualTo(49);
        assertThat(batch.at("/request_counts/failed").asInt()).isEqualTo(1);
        List<JsonNode> output = batches.file(batch, "output_file_id");
        assertThat(output).hasSize(49);
        List<String> ids =
                output.stream().map(line -> line.path("custom_id").asText()).toList();
        assertThat(ids)
                .doesNotHaveDuplicates()
                .isNotEqualTo(ids.stream().sorted().toList());
        JsonNode line = output.get(ids.indexOf("id-8"));
        assertThat(line.path("id").asText()).startsWith("batch_req_");
        assertThat(line.path("error").isNull()).isTrue();
        assertThat(line.at("/response/status_code").asInt()).isEqualTo(200);
        assertThat(line.at("/response/request_id").asText()).isNotEmpty();
        assertThat(line.at("/response/body/choices/0/message/content").asText()).matches("\\[call \\d+] Letter 8");
        JsonNode refused = batches.file(batch, "error_file_id").get(0);
        assertThat(refused.path("custom_id").asText()).isEqualTo("id-7");
        assertThat(refused.path("error").isNull()).isTrue();
        assertThat(refused.at("/response/status_code").asInt()).isEqualTo(400);
        assertThat(refused.at("/response/body/error/code").asText()).isEqualTo("context_length_exceeded");
    }

    @Test
    void lines_are_counted_as_submitted_and_the_batch_as_one_post() throws Exception {
        JsonNode created =
                batches.create(List.of(StubBatches.line("a", "x"), StubBatches.line("b", "[[stub: 429]] y")));
        assertThat(stub.submissions()).isEqualTo(Map.of("a", 1, "b", 1));
        assertThat(stub.charged()).isEmpty();

        batches.get(created);
        batches.create(List.of(StubBatches.line("b", "y")));

        assertThat(stub.submissions()).isEqualTo(Map.of("a", 1, "b", 2));
        assertThat(stub.charged()).isEqualTo(Map.of("a", 1));
        assertThat(stub.count()).isEqualTo(2);
        assertThat(stub.counts().submissions()).isEqualTo(Map.of("batches", 3L));
        assertThat(stub.counts().faces())
                .isEqualTo(Map.of("POST /v1/files", 2L, "POST /v1/batches", 2L, "GET /v1/batches/{id}", 1L));
    }

    @Test
    void a_line_to_responses_is_answered_in_their_form() throws Exception {
        ObjectNode line =
                StubHttp.object().put("custom_id", "r").put("method", "POST").put("url", "/v1/responses");
        line.putObject("body").put("model", "tiny").put("input", "A letter");

        JsonNode batch = batches.get(batches.create("/v1/responses", List.of(line.toString())));

        JsonNode output = batches.file(batch, "output_file_id").get(0);
        assertThat(output.at("/response/body/output/0/content/0/text").asText()).endsWith("A letter");
        assertThat(batch.path("error_file_id").isNull()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json                                                                     | 2 | invalid_json_line",
                "{'custom_id':'a','method':'POST','url':'/v1/chat/completions','body':{}}     | 2 | duplicate_custom_id",
                "{'custom_id':'b','method':'POST','url':'/v1/responses','body':{}}            | 2 | url_mismatch",
                "{'method':'POST','url':'/v1/chat/completions','body':{}}            | 2 | missing_required_parameter",
                "{'custom_id':'b','method':'POST','url':'/v1/chat/completions','body':{'model':'x'}} | 2 | model_mismatch"
            },
            quoteCharacter = '`')
    void a_bad_line_fails_the_whole_batch(String line, int number, String code) throws Exception {
        JsonNode created = batches.create(List.of(StubBatches.line("a", "x"), line.replace('\'', '"')));
        assertThat(created.path("status").asText()).isEqualTo("validating");

        JsonNode batch = batches.get(created);

        assertThat(batch.path("status").asText()).isEqualTo("failed");
        assertThat(batch.at("/errors/data/0/code").asText()).isEqualTo(code);
        assertThat(batch.at("/errors/data/0/line").asInt()).isEqualTo(number);
        assertThat(stub.submissions()).isEmpty();
    }

    @Test
    void an_input_of_no_line_or_too_many_fails_the_whole_batch() throws Exception {
        assertThat(batches.get(batches.create(List.of("")))
                        .at("/errors/data/0/code")
                        .asText())
                .isEqualTo("empty_file");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 50_001; i++) {
            lines.add(StubBatches.line("id-" + i, "x"));
        }

        JsonNode batch = batches.get(batches.create(lines));

        assertThat(batch.at("/errors/data/0/code").asText()).isEqualTo("too_many_tasks");
        assertThat(batch.at("/errors/data/0/line").isNull()).isTrue();
        assertThat(stub.submissions()).isEmpty();
    }

    @Test
    void batches_are_listed_newest_first_page_by_page() throws Exception {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(
                    0,
                    batches.create(List.of(StubBatches.line("a" + i, "x")))
                            .path("id")
                            .asText());
        }
        StubHttp http = batches.http();

        JsonNode first = http.getJson("/v1/batches?limit=2");
        JsonNode last = http.getJson(
                "/v1/batches?limit=3&after=" + first.path("last_id").asText());

        assertThat(first.path("object").asText()).isEqualTo("list");
        assertThat(first.path("first_id").asText()).isEqualTo(ids.get(0));
        assertThat(first.path("data").findValuesAsText("id")).isEqualTo(ids.subList(0, 2));
        assertThat(first.path("has_more").asBoolean()).isTrue();
        assertThat(last.path("data").findValuesAsText("id")).isEqualTo(ids.subList(2, 5));
        assertThat(last.path("has_more").asBoolean()).isFalse();
        assertThat(http.get("/v1/batches?limit=0").statusCode()).isEqualTo(400);
        assertThat(http.get("/v1/batches?after=batch_x").statusCode()).isEqualTo(400);
    }

    @Test
    void a_batch_is_cancelled_as_long_as_it_has_not_ended() throws Exception {
        JsonNode running = batches.create(List.of(StubBatches.line("a", "[[stub: batch-polls=9]] x")));
        JsonNode ended = batches.create(List.of(StubBatches.line("b", "x")));
        batches.get(ended);

        assertThat(batches.cancel(running).statusCode()).isEqualTo(200);
        JsonNode cancelled = batches.get(running);
        assertThat(cancelled.path("status").asText()).isEqualTo("cancelled");
        assertThat(batches.file(cancelled, "error_file_id")
                        .get(0)
                        .at("/error/code")
                        .asText())
                .isEqualTo("batch_cancelled");
        assertThat(batches.cancel(ended).statusCode()).isEqualTo(409);
        assertThat(stub.count()).isEqualTo(2);
        assertThat(stub.charged()).isEqualTo(Map.of("b", 1));
    }

    @Test
    void what_the_vendor_would_refuse_is_refused() throws Exception {
        String file = batches.upload(List.of(StubBatches.line("a", "x")));

        assertThat(batches.post(file, "/v1/embeddings", "24h").statusCode()).isEqualTo(400);
        assertThat(batches.post(file, "/v1/chat/completions", "1h").statusCode())
                .isEqualTo(400);
        assertThat(batches.post("file-x", "/v1/chat/completions", "24h").statusCode())
                .isEqualTo(400);
        ObjectNode unfit = StubHttp.object()
                .put("input_file_id", file)
                .put("endpoint", StubBatches.CHAT)
                .put("completion_window", "24h");
        unfit.putObject("metadata").put("key", 7);
        assertThat(batches.http().post("/v1/batches", unfit).statusCode()).isEqualTo(400);
        assertThat(batches.http().get("/v1/batches/batch_x").statusCode()).isEqualTo(404);
        assertThat(stub.count()).isEqualTo(4);
    }

    @Test
    void ten_thousand_lines_are_no_burden() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            lines.add(StubBatches.line("id-" + i, "A letter of a thousand ".repeat(40) + i));
        }
        JsonNode created = batches.create(lines);

        await().until(() -> batches.get(created).path("status").asText().equals("completed"));

        assertThat(batches.file(batches.get(created), "output_file_id")).hasSize(10_000);
        assertThat(stub.submissions()).hasSize(10_000).containsValue(1).doesNotContainValue(2);
    }
}
