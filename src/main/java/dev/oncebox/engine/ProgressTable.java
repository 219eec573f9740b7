package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.engine.DeferredProtocol.Progress;
import dev.oncebox.engine.DeferredProtocol.State;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.net.URI;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the replies of an asynchronous engine mean, where that differs from {@link VerdictTable}. Asking is free, so
 * whatever keeps an answer from being read for a while is only a reason to ask again; never one to send again.
 *
 * <table>
 *   <caption>replies to a submission, then to a question</caption>
 *   <tr><th>observed</th><th>verdict</th></tr>
 *   <tr><td>202, 303, or a running job, with an address; even where the body is cut</td><td>Accepted</td></tr>
 *   <tr><td>the same without an address</td><td>Unknown: it was accepted, and nobody can ask</td></tr>
 *   <tr><td>2xx that is cut or no JSON</td><td>Unknown: it may have been accepted</td></tr>
 *   <tr><td>2xx with the result</td><td>as at once</td></tr>
 *   <tr><td>anything else</td><td>as at once</td></tr>
 *   <tr><td>no reply; 401, 402, 403, 408, 425, 429, 5xx; 2xx cut</td><td>Running, asked again</td></tr>
 *   <tr><td>202, a running job</td><td>Running</td></tr>
 *   <tr><td>3xx with an address</td><td>asked there at once, a few times; where it ends counts</td></tr>
 *   <tr><td>404, other 3xx and 4xx, no JSON</td><td>Running until {@code lost-after}, then Unknown</td></tr>
 *   <tr><td>410</td><td>Unknown: the job is gone</td></tr>
 *   <tr><td>a job that failed</td><td>as its error says; where that is not clear, Incomplete</td></tr>
 *   <tr><td>a job that ended</td><td>as an answer that came at once</td></tr>
 * </table>
 */
record ProgressTable(
        DeferredProtocol protocol,
        AsyncSettings settings,
        Function<@Nullable JsonNode, Usage> price,
        Set<Integer> unpaid) {

    private static final int ACCEPTED = 202;
    private static final int SEE_OTHER = 303;

    /** Judges what came back for a submission. */
    Verdict submitted(Observed observed, URI to, Instant now) {
        if (!(observed instanceof Observed.Response response)) {
            return atOnce(observed, now);
        }
        int status = response.status();
        boolean success = status >= 200 && status < 300;
        if (!success && status != SEE_OTHER) {
            return atOnce(observed, now);
        }
        JsonNode reply = response.cut() == null ? protocol.parse(response.body()) : null;
        JsonNode told = reply == null ? Json.MAPPER.createObjectNode() : reply;
        Progress progress = protocol.progress(told);
        URI address = JobAddress.resolve(to, protocol.address(to, response.headers(), told));
        boolean accepted = status == ACCEPTED
                || status == SEE_OTHER
                || (progress.state() == State.RUNNING && !(address == null && protocol.read(told) != null));
        if (address != null && (accepted || !hasResult(reply))) {
            String said = progress.said().isEmpty() ? "accepted" : progress.said();
            return new Verdict.Accepted(address.toString(), said, Question.pause(settings, response, now));
        }
        if (accepted) {
            return new Verdict.Unknown(
                    "no_address",
                    "The endpoint accepted the call (" + status + ") and does not say where its answer will be.",
                    false,
                    false);
        }
        if (reply == null) {
            return new Verdict.Unknown(
                    "unreadable_acceptance",
                    "The reply to the submission " + (response.cut() == null ? "is no JSON." : "is not whole."),
                    false);
        }
        return ended(response, progress, reply, now);
    }

    private boolean hasResult(@Nullable JsonNode reply) {
        return reply != null
                && (protocol.read(reply) != null
                        || ErrorBody.isIn(reply)
                        || protocol.progress(reply).state() == State.FAILED);
    }

    /** Judges what came back when an accepted call was asked for. */
    Verdict asked(Observed observed, Call.Remote remote, Instant now) {
        Verdict verdict = new Question(settings, protocol::progress, remote, now).judge(observed);
        if (verdict != null) {
            return verdict;
        }
        Observed.Response response = (Observed.Response) observed;
        JsonNode reply = Objects.requireNonNull(protocol.parse(response.body()));
        return ended(response, protocol.progress(reply), reply, now);
    }

    private Verdict ended(Observed.Response response, Progress progress, JsonNode reply, Instant now) {
        if (progress.state() != State.FAILED) {
            return atOnce(new Observed.Response(200, response.headers(), response.body(), null), now);
        }
        ErrorBody error = ErrorBody.of(reply, false);
        if (error != null && !error.isUnknown()) {
            return atOnce(new Observed.Response(200, response.headers(), onlyError(reply), null), now);
        }
        String why = error == null || error.message() == null ? "." : ": " + error.message();
        return new Verdict.Incomplete(
                "job_" + progress.said(),
                "The job ended without an answer (" + progress.said() + ")" + why,
                Charged.UNKNOWN,
                price.apply(reply.get("usage")));
    }

    /** What a failed job holds beside its error is no answer. */
    private static byte[] onlyError(JsonNode reply) {
        return Json.bytes(Json.MAPPER.createObjectNode().set("error", reply.get("error")));
    }

    private Verdict atOnce(Observed observed, Instant now) {
        return VerdictTable.judge(observed, protocol, price, unpaid, now);
    }
}
