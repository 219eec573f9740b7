package dev.oncebox.engine;

import static dev.oncebox.engine.Judging.code;
import static dev.oncebox.engine.Judging.engine;
import static dev.oncebox.engine.Judging.judge;
import static dev.oncebox.engine.Judging.kind;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.EngineSettings.Protocol;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a status and an error body mean. */
class VerdictTableTest {

    @ParameterizedTest
    @CsvSource({
        "301, ENGINE",
        "302, ENGINE",
        "304, ENGINE",
        "307, ENGINE",
        "308, ENGINE",
        "400, REQUEST",
        "401, ENGINE",
        "402, ENGINE",
        "403, ENGINE",
        "404, MISFIT",
        "405, MISFIT",
        "406, REQUEST",
        "408, BUSY",
        "409, UNKNOWN",
        "410, REQUEST",
        "413, MISFIT",
        "415, MISFIT",
        "418, REQUEST",
        "422, REQUEST",
        "425, BUSY",
        "429, BUSY",
        "451, REQUEST",
        "500, UNKNOWN",
        "501, UNKNOWN",
        "502, UNKNOWN",
        "503, BUSY",
        "504, UNKNOWN",
        "520, UNKNOWN",
        "521, UNKNOWN",
        "522, UNKNOWN",
        "523, UNKNOWN",
        "524, UNKNOWN",
        "525, UNKNOWN",
        "526, UNKNOWN",
        "527, UNKNOWN",
        "529, BUSY",
        "599, UNKNOWN",
        "0, UNKNOWN",
        "100, UNKNOWN",
        "600, UNKNOWN"
    })
    void a_status_alone_says_enough(int status, String kind) {
        for (String body : List.of("", "<html>oops</html>", "{}", "{'error':null}", "[]", "null", "\"x\"")) {
            Verdict verdict = judge(status, body);
            assertThat(kind(verdict)).as(status + " " + body).isEqualTo(kind);
            assertThat(verdict.charged()).isEqualTo(kind.equals("UNKNOWN") ? Charged.UNKNOWN : Charged.NO);
            assertThat(code(verdict)).isEqualTo("http_" + status);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "429 | {'error':{'message':'Slow','type':'requests','param':null,'code':'rate_limit_exceeded'}} | BUSY | rate_limit_exceeded",
                "429 | {'error':{'message':'Quota','type':'insufficient_quota','param':null,'code':'insufficient_quota'}} | ENGINE | insufficient_quota",
                "429 | {'error':{'message':'Quota','type':'insufficient_quota','code':null}} | ENGINE | insufficient_quota",
                "429 | {'error':{'message':'You exceeded your quota per minute','type':null,'code':null}} | BUSY | http_429",
                "429 | {'error':{'message':'You exceeded your quota','code':429,'status':'RESOURCE_EXHAUSTED'}} | BUSY | 429",
                "400 | {'error':{'message':'Limit','type':'invalid_request_error','code':'billing_hard_limit_reached'}} | ENGINE | billing_hard_limit_reached",
                "429 | {'error':{'type':'x','code':'BILLING_NOT_ACTIVE'}} | ENGINE | BILLING_NOT_ACTIVE",
                "503 | {'error':{'message':'Slow Down','type':'slow_down','code':null}} | BUSY | slow_down",
                "400 | {'error':{'message':'Too long','type':'invalid_request_error','code':'context_length_exceeded'}} | MISFIT | context_length_exceeded",
                "400 | {'error':{'code':'content_filter','message':'no'}} | REQUEST | content_filter",
                "401 | {'error':{'message':'Bad key','type':'invalid_request_error','code':'invalid_api_key'}} | ENGINE | invalid_api_key",
                "404 | {'error':{'message':'No model','code':'model_not_found'}} | MISFIT | model_not_found",
                "500 | {'error':{'message':'Sorry','type':'server_error','code':null}} | UNKNOWN | server_error",
                "529 | {'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}} | BUSY | overloaded_error",
                "429 | {'type':'error','error':{'type':'rate_limit_error','message':'Slow'}} | BUSY | rate_limit_error",
                "400 | {'type':'error','error':{'type':'invalid_request_error','message':'max_tokens: required'}} | REQUEST | invalid_request_error",
                "400 | {'type':'error','error':{'type':'invalid_request_error','message':'Your credit balance is too low to access the API.'}} | ENGINE | invalid_request_error",
                "401 | {'type':'error','error':{'type':'authentication_error','message':'x'}} | ENGINE | authentication_error",
                "403 | {'type':'error','error':{'type':'permission_error','message':'x'}} | ENGINE | permission_error",
                "413 | {'type':'error','error':{'type':'request_too_large','message':'x'}} | MISFIT | request_too_large",
                "500 | {'type':'error','error':{'type':'api_error','message':'x'}} | UNKNOWN | api_error",
                "404 | {'error':`model 'x' not found, try pulling it first`} | MISFIT | http_404",
                "400 | {'error':'invalid options'} | REQUEST | http_400",
                "500 | {'error':'llama runner process has terminated'} | UNKNOWN | http_500",
                "422 | {'error':{'code':7,'message':null,'type':[]}} | REQUEST | 7",
                "422 | {'error':[1]} | REQUEST | http_422",
                "422 | {'detail':[{'loc':['body'],'msg':'missing'}]} | REQUEST | http_422",
                "400 | {'error':{'type':null,'code':'string_above_max_length'}} | MISFIT | string_above_max_length",
                "422 | {'error':{'type':'model_not_found','code':null}} | MISFIT | model_not_found",
                "422 | {'error':{'type':'x','code':'Context_Length_Exceeded'}} | MISFIT | Context_Length_Exceeded",
                "400 | {'type':'error','error':{'type':'not_found_error','message':'model: x'}} | MISFIT | not_found_error",
                "400 | {'type':'error','error':{'type':'request_too_large','message':'x'}} | MISFIT | request_too_large",
                "403 | {'error':{'code':'model_not_found'}} | ENGINE | model_not_found",
                "500 | {'error':{'code':'model_not_found'}} | UNKNOWN | model_not_found",
                "409 | {'error':{'code':'context_length_exceeded'}} | UNKNOWN | context_length_exceeded",
                "429 | {'error':{'code':'429','message':'Requests have exceeded the call rate limit of your quota.'}} | BUSY | 429",
                "401 | {'error':{'code':'401','message':'Access denied'}} | ENGINE | 401",
                "500 | {'error':{'code':'429','message':'x'}} | UNKNOWN | 429",
                "402 | {'error':{'code':402,'message':'Insufficient credits'}} | ENGINE | 402",
                "400 | {'error':{'type':'slow_down','code':null}} | BUSY | slow_down",
                "409 | {'error':{'type':'slow_down','code':null}} | UNKNOWN | slow_down",
                "429 | {'message':'No money','code':'insufficient_quota'} | ENGINE | insufficient_quota",
                "429 | {'error':'No money','code':'insufficient_quota'} | ENGINE | insufficient_quota",
                "429 | {'detail':{'code':'insufficient_quota','message':'No money'}} | ENGINE | insufficient_quota",
                "429 | {'error':'Your quota of the minute is used up','error_type':'overloaded'} | BUSY | http_429",
                "429 | {'message':'Your quota is used up, see your plan and billing'} | BUSY | http_429",
                "400 | {'object':'error','message':'too long','type':'BadRequestError','param':null,'code':400} | REQUEST | 400",
                "400 | {'object':'error','message':'x','type':'context_length_exceeded'} | MISFIT | context_length_exceeded",
                "400 | {'message':'x','type':'error'} | REQUEST | http_400",
                "400 | {'code':'The client said something odd','error':'Incorrect API key'} | REQUEST | http_400",
                "400 | {'error':{'code':'A whole sentence','type':'invalid_request_error'}} | REQUEST | invalid_request_error",
                "404 | {'detail':'Not Found'} | MISFIT | http_404",
                "400 | {'type':'about:blank','title':'Bad Request','detail':'x'} | REQUEST | http_400",
                "502 | <html><h1>502 Bad Gateway</h1></html> | UNKNOWN | http_502",
                "429 | <html>quota</html> | BUSY | http_429"
            })
    void an_error_body_refines_the_status(int status, String body, String kind, String code) {
        Verdict verdict = judge(status, body.replace("`", ""));
        assertThat(kind(verdict)).isEqualTo(kind);
        assertThat(code(verdict)).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'error':{'message':'x','code':429}} | BUSY",
                "{'error':{'message':'x','code':'503'}} | BUSY",
                "{'error':{'message':'x','code':401}} | ENGINE",
                "{'error':{'message':'x','code':400}} | REQUEST",
                "{'error':{'message':'x','code':502}} | UNKNOWN",
                "{'error':{'message':'x','type':'insufficient_quota'}} | ENGINE",
                "{'error':{'message':'x','code':'context_length_exceeded'}} | MISFIT",
                "{'error':{'message':'x','type':'request_too_large'}} | MISFIT",
                "{'error':{'message':'x','code':'string_above_max_length'}} | MISFIT",
                "{'error':{'message':'x','code':404}} | MISFIT",
                "{'error':{'message':'x','type':'rate_limit_error'}} | BUSY",
                "{'error':{'message':'x','type':'overloaded_error'}, 'type':'error'} | BUSY",
                "{'error':{'message':'x','type':'authentication_error'}} | ENGINE",
                "{'error':'out of memory'} | BUSY",
                "{'error':{}} | BUSY",
                "{'error':true} | BUSY"
            })
    void an_error_under_a_success_counts_as_its_code_would(String body, String kind) {
        assertThat(kind(judge(200, body))).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "500, true, BUSY",
        "502, true, BUSY",
        "400, true, BUSY",
        "429, true, BUSY",
        "409, true, UNKNOWN",
        "500, false, UNKNOWN",
        "500, maybe, UNKNOWN",
        "400, false, REQUEST",
        "404, '', MISFIT"
    })
    void the_endpoint_may_say_itself_whether_to_come_back(int status, String should, String kind) {
        assertThat(kind(judge(status, "{}", "x-should-retry", should))).isEqualTo(kind);
    }

    @Test
    void a_doubt_that_the_endpoint_does_not_want_repeated_is_a_doubt_all_the_same() {
        assertThat(judge(500, "{}", "x-should-retry", "false"))
                .isEqualTo(new Verdict.Unknown("http_500", "The endpoint answered 500.", false, false));
        assertThat(judge(500, "{}"))
                .isEqualTo(new Verdict.Unknown("http_500", "The endpoint answered 500.", false, true));
    }

    @Test
    void a_refusal_says_how_long_to_wait() {
        assertThat(judge(429, "{}", "retry-after", "61"))
                .isEqualTo(new Verdict.Refused(
                        "http_429", "The endpoint answered 429.", Cause.BUSY, Duration.ofSeconds(61)));
        assertThat(((Verdict.Refused) judge(503, "", "retry-after-ms", "5")).retryAfter())
                .isEqualTo(Duration.ofMillis(5));
        assertThat(((Verdict.Refused) judge(429, "{}", "retry-after", "soon")).retryAfter())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'error':{'message':'E'}} | E",
                "{'error':'E'} | E",
                "{'error':'E','code':7} | E",
                "{'message':'E','code':'x'} | E",
                "{'detail':'E'} | E",
                "{'detail':[{'loc':['body'],'msg':'E'}]} | E",
                "{'detail':{'message':'E'}} | E",
                "{'error':{'code':'E says why'}} | E says why",
                "{'error':null,'message':'E'} | E"
            })
    void the_endpoints_own_words_are_shown_wherever_they_stand(String body, String words) {
        assertThat(((Verdict.Refused) judge(400, body)).reason()).isEqualTo("The endpoint answered 400: " + words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{'error':[1]}", "{'error':{'message':' '}}", "{'message':{}}", "{'detail':[]}", "7"})
    void without_words_the_status_has_to_do(String body) {
        assertThat(((Verdict.Refused) judge(400, body)).reason()).isEqualTo("The endpoint answered 400.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'message':'x','code':429}",
                "{'object':'error','message':'x','code':400}",
                "{'detail':'Not Found'}",
                "{'code':'insufficient_quota'}"
            })
    void what_is_no_error_member_under_a_success_proves_nothing(String body) {
        assertThat(kind(judge(200, body))).isEqualTo("INCOMPLETE");
    }

    @Test
    void a_text_beside_an_answer_may_have_been_charged_whatever_code_stands_beside_it() {
        assertThat(kind(judge(200, "{'error':'x','code':429,'choices':[{'message':{'content':'A'}}]}")))
                .isEqualTo("INCOMPLETE");
        assertThat(kind(judge(200, "{'error':{'code':'It went wrong'},'choices':[{'message':{'content':'A'}}]}")))
                .isEqualTo("INCOMPLETE");
    }

    @Test
    void what_an_engine_declares_unpaid_is_free_and_comes_again_later() {
        Engine engine = engine(Protocol.OPENAI, 400, 401, 404, 409, 429, 500, 502, 524);
        for (int status : List.of(409, 500, 502, 524)) {
            Verdict verdict = judge(engine, status, "{'error':'x'}", "retry-after", "7");
            assertThat(verdict)
                    .isEqualTo(new Verdict.Refused(
                            "http_" + status,
                            "The endpoint answered " + status + ": x",
                            Cause.BUSY,
                            Duration.ofSeconds(7)));
            assertThat(verdict.charged()).isEqualTo(Charged.NO);
        }
        assertThat(kind(judge(engine, 504, ""))).isEqualTo("UNKNOWN");
        assertThat(kind(judge(engine, 303, ""))).isEqualTo("UNKNOWN");
        assertThat(kind(judge(engine, 400, ""))).isEqualTo("REQUEST");
        assertThat(kind(judge(engine, 401, ""))).isEqualTo("ENGINE");
        assertThat(kind(judge(engine, 404, ""))).isEqualTo("MISFIT");
        assertThat(kind(judge(engine, 500, "{'error':{'code':'insufficient_quota'}}")))
                .isEqualTo("ENGINE");
        assertThat(kind(judge(engine, 502, "", "x-should-retry", "false"))).isEqualTo("REQUEST");
        assertThat(kind(judge(engine, 200, "{'error':{'code':502}}"))).isEqualTo("BUSY");
        assertThat(kind(judge(engine, 200, ""))).isEqualTo("INCOMPLETE");
    }

    /** A gateway that breaks while the model writes says why, and was paid for what it wrote. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'error':{'code':'rate_limit_exceeded'},'choices':[{'message':{'content':'half an answer'}}]}",
                "{'error':{'code':429},'choices':[{'message':{'content':'half'}}],'usage':{'completion_tokens':3}}",
                "{'error':{'message':'x','type':'server_error'},'usage':{'completion_tokens':500}}",
                "{'error':{'code':'insufficient_quota'},'choices':[{'message':{'content':'half'}}]}"
            })
    void an_error_beside_what_was_generated_is_no_refusal(String body) {
        assertThat(judge(200, body))
                .isInstanceOfSatisfying(Verdict.Incomplete.class, incomplete -> assertThat(incomplete.charged())
                        .isEqualTo(Charged.UNKNOWN));
    }
}
