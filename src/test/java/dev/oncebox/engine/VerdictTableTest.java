package dev.oncebox.engine;

import static dev.oncebox.engine.Judging.code;
import static dev.oncebox.engine.Judging.judge;
import static dev.oncebox.engine.Judging.kind;
import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        "404, REQUEST",
        "405, REQUEST",
        "406, REQUEST",
        "408, BUSY",
        "409, UNKNOWN",
        "410, REQUEST",
        "413, REQUEST",
        "415, REQUEST",
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
                "400 | {'error':{'message':'Too long','type':'invalid_request_error','code':'context_length_exceeded'}} | REQUEST | context_length_exceeded",
                "400 | {'error':{'code':'content_filter','message':'no'}} | REQUEST | content_filter",
                "401 | {'error':{'message':'Bad key','type':'invalid_request_error','code':'invalid_api_key'}} | ENGINE | invalid_api_key",
                "404 | {'error':{'message':'No model','code':'model_not_found'}} | REQUEST | model_not_found",
                "500 | {'error':{'message':'Sorry','type':'server_error','code':null}} | UNKNOWN | server_error",
                "529 | {'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}} | BUSY | overloaded_error",
                "429 | {'type':'error','error':{'type':'rate_limit_error','message':'Slow'}} | BUSY | rate_limit_error",
                "400 | {'type':'error','error':{'type':'invalid_request_error','message':'max_tokens: required'}} | REQUEST | invalid_request_error",
                "400 | {'type':'error','error':{'type':'invalid_request_error','message':'Your credit balance is too low to access the API.'}} | ENGINE | invalid_request_error",
                "401 | {'type':'error','error':{'type':'authentication_error','message':'x'}} | ENGINE | authentication_error",
                "403 | {'type':'error','error':{'type':'permission_error','message':'x'}} | ENGINE | permission_error",
                "413 | {'type':'error','error':{'type':'request_too_large','message':'x'}} | REQUEST | request_too_large",
                "500 | {'type':'error','error':{'type':'api_error','message':'x'}} | UNKNOWN | api_error",
                "404 | {'error':`model 'x' not found, try pulling it first`} | REQUEST | http_404",
                "400 | {'error':'invalid options'} | REQUEST | http_400",
                "500 | {'error':'llama runner process has terminated'} | UNKNOWN | http_500",
                "422 | {'error':{'code':7,'message':null,'type':[]}} | REQUEST | 7",
                "422 | {'error':[1]} | REQUEST | http_422",
                "422 | {'detail':[{'loc':['body'],'msg':'missing'}]} | REQUEST | http_422"
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
                "{'error':{'message':'x','code':'context_length_exceeded'}} | REQUEST",
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
        "404, '', REQUEST"
    })
    void the_endpoint_may_say_itself_whether_to_come_back(int status, String should, String kind) {
        assertThat(kind(judge(status, "{}", "x-should-retry", should))).isEqualTo(kind);
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
}
