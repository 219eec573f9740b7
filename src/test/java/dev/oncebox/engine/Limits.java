package dev.oncebox.engine;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls, verdicts and engines for tests of what lets calls start. */
public final class Limits {

    static final Retry RETRY = new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), Duration.ofHours(24));
    static final Verdict VALID = valid(Usage.UNKNOWN);
    static final Verdict UNSENT = new Verdict.Unsent("connection_refused", "Refused.");
    static final Verdict UNKNOWN = new Verdict.Unknown("connection_lost", "Lost.", false);
    static final Verdict BUSY = refused(Cause.BUSY, null);
    static final Verdict NO_CREDIT = refused(Cause.ENGINE, null);
    static final Verdict BAD_REQUEST = refused(Cause.REQUEST, null);
    static final Verdict MISFIT = refused(Cause.MISFIT, null);
    static final Verdict CUT = new Verdict.Incomplete("cut_short", "Cut", Charged.UNKNOWN, Usage.UNKNOWN);
    static final Verdict NOT_JSON = new Verdict.Incomplete("not_json", "Not JSON.", Charged.YES, Usage.UNKNOWN);
    static final Verdict UNUSABLE = new Verdict.Unusable("empty_answer", "Empty.", Usage.UNKNOWN);

    private Limits() {}

    static Verdict valid(Usage usage) {
        return new Verdict.Valid(new Answer(TextNode.valueOf("yes"), "stop", "m", usage));
    }

    static Verdict used(long input, long output) {
        return valid(new Usage(null, input, output, null));
    }

    static Verdict paid(String cost) {
        return valid(new Usage(null, 1L, 1L, new BigDecimal(cost)));
    }

    static Verdict refused(Cause cause, @Nullable Duration retryAfter) {
        return new Verdict.Refused("no", "No", cause, retryAfter);
    }

    static Call call(long id) {
        return new Call(
                id,
                new byte[32],
                "j",
                "e",
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                Asking.text("t").request());
    }

    static EngineSettings settings(int concurrency, @Nullable Long requests, @Nullable Long tokens) {
        return settings("e", concurrency, requests, tokens);
    }

    /** An engine of nothing but its name and its limits. */
    public static EngineSettings settings(
            String name, int concurrency, @Nullable Long requests, @Nullable Long tokens) {
        return new EngineSettings(
                name,
                EngineSettings.Protocol.OPENAI,
                URI.create("http://localhost/"),
                null,
                null,
                Map.of(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                concurrency,
                requests,
                tokens,
                null,
                null,
                "",
                false,
                EngineSettings.OnDoubt.RESEND,
                Set.of(),
                "",
                null,
                AsyncSettings.USUAL);
    }
}
