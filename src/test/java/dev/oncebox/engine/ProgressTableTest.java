package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the replies of asynchronous engines mean, row by row; {@code '} stands for a quotation mark. */
class ProgressTableTest {

    private static final Instant NOW = Judging.NOW;
    private static final URI TO = URI.create("http://e.example/jobs");
    private static final String PLACE = "http://e.example/jobs/7";

    private static ProgressTable table(String answer, String location) {
        var usual = AsyncSettings.USUAL;
        var settings = new AsyncSettings(
                Duration.ofSeconds(60),
                Duration.ofMinutes(10),
                "/status",
                usual.running(),
                usual.failed(),
                location,
                usual.batch());
        var json = new JsonProtocol(JsonNodeFactory.instance.objectNode(), answer);
        return table(new AsyncProtocol(json, settings), settings);
    }

    private static ProgressTable table(DeferredProtocol protocol, AsyncSettings settings) {
        Engine priced = Judging.engine(EngineSettings.Protocol.OPENAI);
        return new ProgressTable(protocol, settings, priced::priced, Set.of());
    }

    private static final ProgressTable ASYNC = table("/summary", "");
    private static final ProgressTable RESPONSES = table(new ResponsesProtocol(), AsyncSettings.USUAL);

    private static Observed.Response reply(int status, String body, String headers, String cut) {
        Map<String, String> map = new TreeMap<>();
        for (String header : headers == null ? new String[0] : headers.split(", ")) {
            map.put(header.substring(0, header.indexOf('=')), header.substring(header.indexOf('=') + 1));
        }
        byte[] bytes = (body == null ? "" : body.replace('\'', '"')).getBytes(StandardCharsets.UTF_8);
        return new Observed.Response(status, map, bytes, cut);
    }

    private static Verdict submitted(int status, String body, String headers) {
        return ASYNC.submitted(reply(status, body, headers, null), TO, NOW);
    }

    private static Verdict asked(ProgressTable table, int status, String body, String headers, Call.Remote remote) {
        return table.asked(reply(status, body, headers, null), remote, NOW);
    }

    private static Call.Remote remote(Duration unseen, String said) {
        return new Call.Remote(PLACE, NOW.minus(unseen).toEpochMilli(), said);
    }

    private static String told(Verdict verdict) {
        if (verdict instanceof Verdict.Accepted accepted) {
            return "accepted " + accepted.address() + " " + accepted.said() + " "
                    + accepted.delay().toSeconds();
        }
        if (verdict instanceof Verdict.Running running) {
            return (running.known() ? "running " : "unseen ") + running.said() + " "
                    + running.delay().toSeconds();
        }
        return Judging.kind(verdict).toLowerCase(java.util.Locale.ROOT)
                + (verdict instanceof Verdict.Failure failure ? " " + failure.code() : "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "-", textBlock = """
            202 | {'id':'7','status':'queued'}     | location=/jobs/7              | accepted http://e.example/jobs/7 queued 60
            202 | {'id':'7'}                       | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            202 | -                                | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            202 | <html>                           | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            202 | {'status':'succeeded'}           | location=/jobs/7              | accepted http://e.example/jobs/7 succeeded 60
            202 | {'status':'failed','error':'x'}  | location=/jobs/7              | accepted http://e.example/jobs/7 failed 60
            202 | {'summary':'here'}               | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            202 | {}                               | location=/jobs/7, retry-after=5   | accepted http://e.example/jobs/7 accepted 60
            202 | {}                               | location=/jobs/7, retry-after=600 | accepted http://e.example/jobs/7 accepted 600
            202 | {}                               | location=/jobs/7, retry-after=soon | accepted http://e.example/jobs/7 accepted 60
            200 | {'status':'running'}             | location=/jobs/7              | accepted http://e.example/jobs/7 running 60
            200 | {'status':'IN_QUEUE'}            | location=/jobs/7              | accepted http://e.example/jobs/7 IN_QUEUE 60
            201 | {'id':7}                         | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            204 | -                                | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            303 | -                                | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            200 | <html>                           | location=/jobs/7              | accepted http://e.example/jobs/7 accepted 60
            200 | {'summary':'here'}               | location=/jobs/7              | valid
            200 | {'summary':'here'}               | -                             | valid
            202 | {'status':'queued'}              | -                             | unknown no_address
            202 | -                                | -                             | unknown no_address
            202 | {'summary':'here'}               | -                             | unknown no_address
            303 | -                                | -                             | unknown no_address
            202 | {}                               | location=file:///etc/passwd   | unknown no_address
            202 | {}                               | location={{env:HOME}}         | unknown no_address
            202 | {}                               | location=http://u:p@h/x       | unknown no_address
            200 | {'status':'running'}             | -                             | unknown no_address
            200 | <html>                           | -                             | unknown unreadable_acceptance
            200 | -                                | -                             | unknown unreadable_acceptance
            200 | {'status':'failed','error':{'code':'rate_limit_exceeded'}} | - | busy rate_limit_exceeded
            200 | {'status':'failed'}              | -                             | incomplete job_failed
            400 | {'error':{'message':'no'}}       | location=/jobs/7              | request http_400
            404 | {}                               | -                             | misfit http_404
            401 | {}                               | -                             | engine http_401
            429 | {}                               | location=/jobs/7              | busy http_429
            500 | {}                               | location=/jobs/7              | unknown http_500
            302 | -                                | location=/login               | engine http_302
            """)
    void a_submission_was_accepted_refused_or_answered_and_what_may_have_been_accepted_is_a_doubt(
            int status, String body, String headers, String verdict) {
        assertThat(told(submitted(status, body, headers))).isEqualTo(verdict);
    }

    @Test
    void a_reply_that_is_cut_after_its_address_is_an_acceptance_all_the_same() {
        assertThat(told(ASYNC.submitted(reply(202, "{'id':", "location=/jobs/7", "broke"), TO, NOW)))
                .isEqualTo("accepted " + PLACE + " accepted 60");
        assertThat(told(ASYNC.submitted(reply(202, "{'id':", null, "broke"), TO, NOW)))
                .isEqualTo("unknown no_address");
        assertThat(told(ASYNC.submitted(reply(200, "{'id':", null, "broke"), TO, NOW)))
                .isEqualTo("unknown unreadable_acceptance");
    }

    @Test
    void a_call_that_was_accepted_and_that_nobody_can_ask_for_is_not_sent_again_by_itself() {
        var unknown = (Verdict.Unknown) submitted(202, "{}", null);

        assertThat(unknown.repeatable()).isFalse();
        assertThat(unknown.charged()).isEqualTo(Charged.UNKNOWN);
    }

    @Test
    void the_body_names_the_address_where_the_engine_says_so_and_the_header_where_the_body_is_silent() {
        ProgressTable table = table("/summary", "/urls/get");

        assertThat(told(table.submitted(reply(202, "{'urls':{'get':'/there'}}", "location=/jobs/7", null), TO, NOW)))
                .isEqualTo("accepted http://e.example/there accepted 60");
        assertThat(told(table.submitted(reply(202, "{'urls':{'get':7}}", "location=/jobs/7", null), TO, NOW)))
                .isEqualTo("accepted " + PLACE + " accepted 60");
        assertThat(told(table.submitted(reply(202, "{'urls':{}}", null, null), TO, NOW)))
                .isEqualTo("unknown no_address");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', nullValues = "-", textBlock = """
            202 | -                               | -                | running running 60
            202 | {'status':'succeeded'}          | -                | running succeeded 60
            202 | {'status':'queued'}             | retry-after=5    | running queued 60
            202 | {'status':'queued'}             | retry-after=3600 | running queued 3600
            200 | {'status':'running'}            | -                | running running 60
            200 | {'status':'In_Progress'}        | -                | running In_Progress 60
            200 | {'status':'notStarted'}         | -                | running notStarted 60
            200 | {'status':'running','summary':'so far'} | -        | running running 60
            200 | {'status':'succeeded','summary':'here'} | -        | valid
            200 | {'summary':'here'}              | -                | valid
            201 | {'summary':'here'}              | -                | valid
            200 | {'status':'succeeded'}          | -                | incomplete no_answer
            200 | {'status':'cancelled'}          | -                | incomplete job_cancelled
            200 | {'status':'failed','error':'out of memory'} | -    | incomplete job_failed
            200 | {'status':'FAILED','error':null} | -               | incomplete job_FAILED
            200 | {'status':'failed','summary':'half','error':{'code':'rate_limit_exceeded'}} | - | busy rate_limit_exceeded
            200 | {'status':'failed','error':{'code':'insufficient_quota'}} | - | engine insufficient_quota
            200 | {'status':'failed','error':{'code':'invalid_prompt_x'}} | - | incomplete job_failed
            401 | {}                              | -                | unseen It answered 401. 60
            403 | {}                              | -                | unseen It answered 403. 60
            408 | {}                              | -                | unseen It answered 408. 60
            429 | {}                              | retry-after=90   | unseen It answered 429. 90
            500 | {'error':'x'}                   | -                | unseen It answered 500. 60
            503 | -                               | retry-after=600  | unseen It answered 503. 600
            404 | {}                              | -                | unseen It answered 404. 60
            400 | {}                              | -                | unseen It answered 400. 60
            302 | -                               | -                | unseen It answered 302 and leads nowhere. 60
            200 | <html>                          | -                | unseen The reply is no JSON. 60
            204 | -                               | -                | unseen The reply is no JSON. 60
            410 | {}                              | -                | unknown job_gone
            """)
    void asking_is_repeated_for_whatever_is_no_end(int status, String body, String headers, String verdict) {
        assertThat(told(asked(ASYNC, status, body, headers, remote(Duration.ofSeconds(30), "queued"))))
                .isEqualTo(verdict);
    }

    @Test
    void no_reply_and_half_a_reply_are_asked_for_again_for_ever() {
        var long_ago = remote(Duration.ofDays(9), "It answered 404.");

        assertThat(told(ASYNC.asked(new Observed.Failure(new IOException("reset")), long_ago, NOW)))
                .isEqualTo("unseen No reply: IOException. 60");
        assertThat(told(ASYNC.asked(reply(200, "{'sum", null, "broke"), long_ago, NOW)))
                .startsWith("unseen The reply is not whole");
        for (int status : new int[] {401, 403, 429, 500, 502, 503, 599}) {
            assertThat(told(asked(ASYNC, status, "{}", null, long_ago))).startsWith("unseen It answered " + status);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 405, 422, 300, 302})
    void a_job_that_has_been_unknown_for_long_is_lost_which_is_a_doubt(int status) {
        var said = ((Verdict.Running) asked(ASYNC, status, "{}", null, remote(Duration.ZERO, "queued"))).said();

        Verdict soon =
                asked(ASYNC, status, "{}", null, remote(Duration.ofMinutes(10).minusMillis(1), said));
        Verdict late = asked(ASYNC, status, "{}", null, remote(Duration.ofMinutes(10), said));

        assertThat(soon).isInstanceOf(Verdict.Running.class);
        assertThat(told(late)).isEqualTo("unknown job_lost");
        assertThat(late.charged()).isEqualTo(Charged.UNKNOWN);
    }

    @Test
    void a_job_that_nobody_could_ask_for_a_day_is_not_lost_by_the_first_404() {
        var before_the_night = remote(Duration.ofDays(1), "queued");
        var while_it_was_down = remote(Duration.ofDays(1), "No reply: IOException.");

        assertThat(told(asked(ASYNC, 404, "{}", null, before_the_night))).isEqualTo("unseen It answered 404. 60");
        assertThat(told(asked(ASYNC, 404, "{}", null, while_it_was_down))).isEqualTo("unseen It answered 404. 60");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'id':'r','status':'queued'} | running queued 60
            {'id':'r','status':'in_progress'} | running in_progress 60
            {'id':'r','status':'completed','output':[{'content':[{'type':'output_text','text':'yes'}]}]} | valid
            {'id':'r','status':'incomplete','incomplete_details':{'reason':'max_output_tokens'},'output':[]} | valid
            {'id':'r','status':'completed'} | incomplete no_answer
            {'id':'r','status':'cancelled'} | incomplete job_cancelled
            {'id':'r','status':'failed','error':{'code':'rate_limit_exceeded','message':'slow'}} | busy rate_limit_exceeded
            {'id':'r','status':'failed','error':null} | incomplete job_failed
            """)
    void a_response_in_the_background_says_how_far_it_is(String body, String verdict) {
        assertThat(told(asked(RESPONSES, 200, body, null, remote(Duration.ZERO, "queued"))))
                .isEqualTo(verdict);
    }

    @Test
    void a_response_is_asked_for_by_its_id_and_given_up_there_and_a_strange_id_leads_nowhere() {
        URI to = URI.create("http://e.example/v1/responses");
        String place = "http://e.example/v1/responses/resp_1";

        assertThat(told(RESPONSES.submitted(reply(200, "{'id':'resp_1','status':'queued'}", null, null), to, NOW)))
                .isEqualTo("accepted " + place + " queued 60");
        for (String id : new String[] {"../keys", "a/b", "a?b", "", "."}) {
            assertThat(told(RESPONSES.submitted(
                            reply(200, "{'id':'" + id + "','status':'queued'}", null, null), to, NOW)))
                    .isEqualTo("unknown no_address");
        }
        assertThat(new ResponsesProtocol().cancellation(URI.create(place))).hasToString(place + "/cancel");
    }

    @Test
    void a_redirected_question_goes_on_where_the_reply_points_to_and_nowhere_else() {
        URI at = URI.create(PLACE);

        assertThat(Question.elsewhere(reply(303, "", "location=/results/7", null), at))
                .hasToString("http://e.example/results/7");
        assertThat(Question.elsewhere(reply(302, "", "location=../x", null), at))
                .hasToString("http://e.example/x");
        assertThat(Question.elsewhere(reply(303, "", null, null), at)).isNull();
        assertThat(Question.elsewhere(reply(303, "", "location=file:/x", null), at))
                .isNull();
        assertThat(Question.elsewhere(reply(200, "", "location=/results/7", null), at))
                .isNull();
        assertThat(Question.elsewhere(new Observed.Failure(new IOException()), at))
                .isNull();
    }
}
