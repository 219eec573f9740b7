package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.engine.DeferredProtocol.Progress;
import dev.oncebox.engine.DeferredProtocol.State;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Verdict;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What it means what came back when something was asked for that an engine had accepted. Asking is free: only an engine
 * that says that it does not know the job, and says so for long, is believed.
 *
 * @param progress how far a reply says that it is
 */
record Question(AsyncSettings settings, Function<JsonNode, Progress> progress, Call.Remote remote, Instant now) {

    private static final int ACCEPTED = 202;
    private static final int GONE = 410;
    private static final Set<Integer> PASSING = Set.of(401, 402, 403, 407, 408, 425, 429);

    /** Null: it has ended, and the observation is a whole reply that says how. */
    @Nullable
    Verdict judge(Observed observed, URI at) {
        if (observed instanceof Observed.Failure failure) {
            return again("No reply: " + failure.cause().getClass().getSimpleName() + ".", settings.poll());
        }
        Observed.Response response = (Observed.Response) observed;
        int status = response.status();
        if (status >= 300 && status < 400) {
            URI moved = JobAddress.resolve(at, response.headers().get("location"));
            return moved == null
                    ? unlessLost("It answered " + status + " without an address.", response)
                    : moved(moved, at, response);
        }
        if (status == GONE) {
            return lost("job_gone", "The engine says that the job is gone (410).");
        }
        if (PASSING.contains(status) || status >= 500) {
            return again("It answered " + status + ".", pause(response));
        }
        if (status >= 400) {
            return unlessLost("It answered " + status + ".", response);
        }
        if (response.cut() != null) {
            return again("The reply is not whole: " + response.cut(), settings.poll());
        }
        JsonNode reply = Json.tree(response.body());
        if (reply == null && status != ACCEPTED) {
            return unlessLost("The reply is no JSON.", response);
        }
        Progress how = reply == null ? new Progress(State.RUNNING, "") : progress.apply(reply);
        if (status == ACCEPTED || how.state() == State.RUNNING) {
            String said = how.said().isEmpty() ? "running" : how.said();
            return new Verdict.Running(said, true, null, pause(response));
        }
        return null;
    }

    /** The result of a finished job, or another place to ask; the same place again would be asked for ever. */
    private Verdict moved(URI moved, URI from, Observed.Response response) {
        Duration wait = moved.equals(from) ? pause(response) : Duration.ZERO;
        return new Verdict.Running("It has moved (" + response.status() + ").", true, moved.toString(), wait);
    }

    private Verdict unlessLost(String said, Observed.Response response) {
        Duration unseen = Duration.ofMillis(now.toEpochMilli() - remote.seen());
        // nobody may have asked for long, and one odd reply is no proof
        boolean onceOnly = !said.equals(remote.said());
        return onceOnly || unseen.compareTo(settings.lostAfter()) < 0
                ? again(said, pause(response))
                : lost("job_lost", said + " The engine has not known the job for " + unseen.toSeconds() + " s.");
    }

    private static Verdict lost(String code, String reason) {
        return new Verdict.Unknown(code, reason + " It was accepted and may have been charged.", false);
    }

    private static Verdict again(String said, Duration wait) {
        return new Verdict.Running(said, false, null, wait);
    }

    private Duration pause(Observed.Response response) {
        return pause(settings, response, now);
    }

    /** The engine's own wish where that is longer than {@code poll}. */
    static Duration pause(AsyncSettings settings, Observed.Response response, Instant now) {
        Duration asked = RetryAfter.of(response.headers(), now);
        return asked == null || asked.compareTo(settings.poll()) < 0 ? settings.poll() : asked;
    }
}
