package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.engine.BatchProtocol.Line;
import dev.oncebox.engine.BatchProtocol.LineError;
import dev.oncebox.engine.BatchProtocol.Listed;
import dev.oncebox.engine.BatchProtocol.Rest;
import dev.oncebox.engine.DeferredProtocol.State;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hc.core5.http.HttpEntity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written to providers of batches, and what is read of them. */
class BatchProtocolTest {

    private static final URI BATCHES = URI.create("https://api.example/v1/batches");
    private static final BatchProtocol OPENAI = new OpenAiBatchProtocol();
    private static final BatchProtocol ANTHROPIC = new AnthropicBatchProtocol();

    private static JsonNode json(String text) {
        return Asking.json(text);
    }

    private static String text(HttpEntity entity) {
        try {
            var out = new ByteArrayOutputStream();
            entity.writeTo(out);
            assertThat(entity.getContentLength()).isEqualTo(out.size());
            return out.toString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<byte[]> lines(BatchProtocol protocol) {
        return List.of(protocol.line("k1", json("{'model':'m','n':1}")), protocol.line("k2", json("{'t':'ä\\n'}")));
    }

    @Test
    void openai_is_given_a_file_of_lines_and_then_its_id_with_our_handle() {
        String file = text(OPENAI.upload("h-1", lines(OPENAI)));
        JsonNode submission = json(text(OPENAI.submission("h-1", lines(OPENAI), "file-1")));

        assertThat(file)
                .contains("name=\"purpose\"", "batch", "filename=\"h-1.jsonl\"")
                .contains(
                        "{\"custom_id\":\"k1\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"model\":\"m\",\"n\":1}}\n")
                .contains("\"body\":{\"t\":\"ä\\n\"}}\n");
        assertThat(submission.path("input_file_id").asText()).isEqualTo("file-1");
        assertThat(submission.path("completion_window").asText()).isEqualTo("24h");
        assertThat(submission.at("/metadata/oncebox_batch").asText()).isEqualTo("h-1");
        assertThat(OPENAI.uploads(BATCHES)).hasToString("https://api.example/v1/files");
    }

    @Test
    void anthropic_is_given_all_requests_in_one_body() {
        JsonNode body = json(text(ANTHROPIC.submission("h-1", lines(ANTHROPIC), null)));

        assertThat(body.path("requests")).hasSize(2);
        assertThat(body.at("/requests/1")).isEqualTo(json("{'custom_id':'k2','params':{'t':'ä\\n'}}"));
        assertThat(ANTHROPIC.uploads(BATCHES)).isNull();
        assertThat(ANTHROPIC.upload("h-1", List.of())).isNull();
    }

    @Test
    void openai_batches_are_of_one_model_and_anthropics_of_any() {
        assertThat(OPENAI.group(json("{'model':'a'}"))).isEqualTo("a").isNotEqualTo(OPENAI.group(json("{}")));
        assertThat(ANTHROPIC.group(json("{'model':'a'}"))).isEqualTo(ANTHROPIC.group(json("{'model':'b'}")));
    }

    @ParameterizedTest
    @CsvSource({
        "validating, RUNNING", "in_progress, RUNNING", "finalizing, RUNNING", "cancelling, RUNNING", "'', RUNNING",
        "something_new, RUNNING", "completed, ENDED", "failed, ENDED", "expired, ENDED", "cancelled, ENDED"
    })
    void an_openai_batch_ends_only_in_the_states_that_are_known_to_be_ends(String status, State state) {
        assertThat(OPENAI.progress(json("{'status':'" + status + "'}")).state()).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({"in_progress, RUNNING", "canceling, RUNNING", "'', RUNNING", "ended, ENDED"})
    void an_anthropic_batch_ends_when_it_says_so(String status, State state) {
        assertThat(ANTHROPIC
                        .progress(json("{'processing_status':'" + status + "'}"))
                        .state())
                .isEqualTo(state);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'output_file_id':null,'error_file_id':null}",
                "{'output_file_id':'','error_file_id':''}",
                "{'output_file_id':'../../secret','error_file_id':'a/b?c'}",
                "{'output_file_id':{},'error_file_id':[]}"
            })
    void file_ids_that_are_none_are_no_results(String batch) {
        assertThat(OPENAI.results(BATCHES, json(batch))).isEmpty();
    }

    @Test
    void either_file_may_be_there_alone() {
        assertThat(OPENAI.results(BATCHES, json("{'output_file_id':'f-1','error_file_id':''}")))
                .containsExactly(URI.create("https://api.example/v1/files/f-1/content"));
        assertThat(OPENAI.results(BATCHES, json("{'output_file_id':null,'error_file_id':'f-2'}")))
                .containsExactly(URI.create("https://api.example/v1/files/f-2/content"));
        assertThat(OPENAI.results(BATCHES, json("{'output_file_id':'f-1','error_file_id':'f-2'}")))
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'results_url':null}", "{'results_url':''}", "{'results_url':'ftp://x/y'}"})
    void a_results_address_that_is_none_is_no_results(String batch) {
        assertThat(ANTHROPIC.results(BATCHES, json(batch))).isEmpty();
    }

    @Test
    void a_results_address_may_be_relative() {
        assertThat(ANTHROPIC.results(BATCHES, json("{'results_url':'/v1/r'}")))
                .containsExactly(URI.create("https://api.example/v1/r"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'custom_id':'k','response':{'status_code':200,'body':{'a':1}},'error':null} | 200 | {'a':1}",
                "{'custom_id':'k','response':{'status_code':429,'body':{'error':{'code':'x'}}},'error':null} | 429 | {'error':{'code':'x'}}",
                "{'custom_id':'k','response':null,'error':{'code':'batch_expired','message':'m'}} | 503 | {'error':{'code':'batch_expired','message':'m'}}",
                "{'custom_id':'k','response':null,'error':{'code':'batch_cancelled'}} | 503 | {'error':{'code':'batch_cancelled'}}",
                "{'custom_id':'k','response':null,'error':{'code':'request_timeout'}} | 504 | {'error':{'code':'request_timeout'}}",
                "{'custom_id':'k','response':null,'error':null} | 504 | {'error':null}",
                "{'custom_id':'k','response':{}} | 0 | null",
            })
    void a_line_of_openai_is_read_as_a_reply(String line, int status, String body) {
        Line read = OPENAI.read(json(line));
        assertThat(read.key()).isEqualTo("k");
        assertThat(read.status()).isEqualTo(status);
        assertThat(
                        body.equals("null")
                                ? read.body().isMissingNode()
                                : read.body().equals(json(body)))
                .as("%s", read.body())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'type':'succeeded','message':{'a':1}} | 200",
                "{'type':'errored','error':{'type':'error','error':{'type':'invalid_request_error','message':'m'}}} | 400",
                "{'type':'errored','error':{'type':'rate_limit_error'}} | 429",
                "{'type':'errored','error':{'type':'error','error':{'type':'overloaded_error'}}} | 529",
                "{'type':'errored','error':{'type':'error','error':{'type':'api_error'}}} | 500",
                "{'type':'errored'} | 500",
                "{'type':'expired'} | 503",
                "{'type':'canceled'} | 503",
                "{'type':'something_new'} | 200",
                "{} | 200",
            })
    void a_line_of_anthropic_is_read_as_a_reply(String result, int status) {
        Line read = ANTHROPIC.read(json("{'custom_id':'k','result':" + result + "}"));
        assertThat(read.key()).isEqualTo("k");
        assertThat(read.status()).isEqualTo(status);
        assertThat(Json.tree(Json.bytes(read.body()))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "'text'", "null", "{}", "{'custom_id':null}", "{'custom_id':{'a':1}}"})
    void a_line_of_nothing_known_has_no_key_of_ours(String line) {
        assertThat(OPENAI.read(json(line)).key()).doesNotMatch("[0-9a-f]{64}");
        assertThat(ANTHROPIC.read(json(line)).key()).doesNotMatch("[0-9a-f]{64}");
    }

    @Test
    void calls_without_a_result_are_free_only_where_the_batch_ended_before_its_time() {
        assertThat(OPENAI.rest(json("{'status':'expired'}")).free()).isTrue();
        assertThat(OPENAI.rest(json("{'status':'cancelled'}")).free()).isTrue();
        assertThat(OPENAI.rest(json("{'status':'completed'}")).free()).isFalse();
        assertThat(ANTHROPIC.rest(json("{'processing_status':'ended'}")).free()).isFalse();
    }

    @Test
    void errors_of_a_refused_batch_are_of_lines_or_of_all_of_it() {
        Rest rest = OPENAI.rest(json("{'status':'failed','errors':{'data':["
                + "{'code':'model_not_found','message':'No.','line':2},{'code':null,'line':3},"
                + "{'code':'odd','line':0},{'code':'later','message':'x','line':null}]}}"));

        assertThat(rest.free()).isTrue();
        assertThat(rest.lines())
                .containsExactly(new LineError(2, "model_not_found", "No."), new LineError(3, "invalid_line", ""));
        assertThat(rest.refusal().code()).isEqualTo("odd");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'status':'failed'}",
                "{'status':'failed','errors':null}",
                "{'status':'failed','errors':{'data':null}}",
                "{'status':'failed','errors':{'data':[]}}"
            })
    void a_refusal_without_a_reason_is_one_all_the_same(String batch) {
        Rest rest = OPENAI.rest(json(batch));
        assertThat(rest.free()).isTrue();
        assertThat(rest.lines()).isEmpty();
        assertThat(rest.refusal()).isNull();
    }

    @Test
    void the_list_says_whose_a_batch_is_or_how_many_calls_it_has() {
        assertThat(OPENAI.listed(
                        json("{'id':'b','created_at':5,'status':'completed','metadata':{'oncebox_batch':'h'}}")))
                .isEqualTo(new Listed("b", "h", 5, -1, true));
        assertThat(OPENAI.listed(json("{'id':'b','created_at':5,'metadata':null}")))
                .isEqualTo(new Listed("b", "", 5, -1, false));
        assertThat(ANTHROPIC.listed(json("{'id':'b','created_at':'1970-01-01T00:00:05Z','processing_status':'ended',"
                        + "'request_counts':{'processing':1,'succeeded':2,'errored':3,'canceled':4,'expired':5}}")))
                .isEqualTo(new Listed("b", null, 5, 15, true));
    }
}
