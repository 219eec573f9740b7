package dev.oncebox.runtime;

import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Standing;
import dev.oncebox.ledger.Standing.OpenCalls;
import dev.oncebox.ledger.Standing.Stage;
import dev.oncebox.runtime.AskReply.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a file's standing means for the one who asks. Decides and does nothing. */
final class AskRules {

    private static final String ERROR = ".error.json";

    private final Path outbox;

    AskRules(Path outbox) {
        this.outbox = outbox;
    }

    /** What there is to say when nothing more will come; null: something will. */
    @Nullable
    AskReply end(Standing at) {
        OpenCalls calls = at.calls();
        if (at.stage() == Stage.DELIVERED && isAnswered(at)) {
            Path answer = outbox.resolve(String.valueOf(at.output()));
            if (!Files.exists(answer)) {
                return null;
            }
            return new AskReply(Status.ANSWERED, answer, at.shown(), code(at), remark(at));
        }
        if (at.stage() == Stage.DELIVERED && at.open() == 0) {
            return failed(at);
        }
        if (at.stage() == Stage.TAKEN && calls.isInDoubt()) {
            return new AskReply(
                    Status.PROCESSING,
                    null,
                    at.shown(),
                    at.shown().code(),
                    sentence(at.shown().message())
                            + "It was sent, and nobody knows whether it was processed, so that another way might pay"
                            + " for it twice. A person decides: oncebox doubt list");
        }
        return null;
    }

    /**
     * What there is to say when the waiting is over.
     *
     * @param broughtIn whether this ask recorded the file
     * @param sentBefore whether its calls had been sent, or accepted, when this ask began
     * @param pauses why nothing is sent at the moment, by engine
     */
    AskReply now(Standing at, boolean broughtIn, boolean sentBefore, Map<String, Pause> pauses) {
        AskReply end = end(at);
        if (end != null) {
            return end;
        }
        OpenCalls calls = at.calls();
        if (at.open() == 0 && at.answered() == 0 && at.stage() == Stage.TAKEN) {
            return failed(at);
        }
        boolean queued = calls.waiting() > 0 || broughtIn || calls.sent() + calls.polling() > 0 && !sentBefore;
        Status status = queued ? Status.QUEUED : Status.PROCESSING;
        if (at.open() == 0) {
            return new AskReply(status, null, at.shown(), null, "It is answered, and the answer is being delivered.");
        }
        Pause pause = calls.waiting() > 0 ? pause(at, pauses) : null;
        return new AskReply(
                status,
                null,
                at.shown(),
                pause == null ? at.shown().code() : pauseCode(pause),
                pause == null ? state(at) : pause.reason() + " " + until(pause) + rest(at));
    }

    private static @Nullable Pause pause(Standing at, Map<String, Pause> pauses) {
        Pause spent = pauses.get(Pause.BUDGET);
        String engine = at.shown().engine();
        return spent != null || engine == null ? spent : pauses.get(engine);
    }

    private static String pauseCode(Pause pause) {
        return switch (pause.state()) {
            case OPEN, PROBING -> "breaker";
            case LIMITED -> "limit";
            case SPENT -> "budget";
        };
    }

    private static String until(Pause pause) {
        return pause.until() == 0 ? "Nothing more is sent." : "Nothing is sent until " + time(pause.until()) + ".";
    }

    private static String state(Standing at) {
        OpenCalls calls = at.calls();
        String reason = sentence(at.shown().message());
        if (calls.waiting() > 0 && calls.nextDue() != Long.MAX_VALUE && !reason.isEmpty()) {
            return reason + "It is sent again at " + time(calls.nextDue()) + " or later." + rest(at);
        }
        if (calls.waiting() > 0) {
            return reason + "It waits to be sent." + rest(at);
        }
        return (calls.polling() > 0
                        ? "The engine has accepted it and works on it."
                        : "It is sent and not answered yet.")
                + rest(at);
    }

    private static String rest(Standing at) {
        return at.isSingle() ? "" : " " + at.open() + " of " + at.items() + " items have no end yet.";
    }

    private static String time(long millis) {
        return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String sentence(@Nullable String message) {
        if (message == null || message.isEmpty()) {
            return "";
        }
        return message.endsWith(".") ? message + " " : message + ". ";
    }

    /** Whether the file's name in the outbox stands for an answer; of a batch, for at least one. */
    private static boolean isAnswered(Standing at) {
        return at.answered() > 0
                && !(at.kind() == DroppedFile.Kind.TEXT
                        && String.valueOf(at.output()).endsWith(ERROR));
    }

    private AskReply failed(Standing at) {
        String message = at.answered() > 0
                ? "The answer cannot be a text file; see " + outbox.resolve(String.valueOf(at.output())) + "."
                : at.shown().message();
        return new AskReply(
                Status.FAILED,
                null,
                at.shown(),
                at.answered() > 0 ? "not_utf8" : at.shown().code(),
                at.isSingle() ? message : sentence(message) + "None of " + at.items() + " items has an answer.");
    }

    private static @Nullable String code(Standing at) {
        return at.answered() < at.items() || at.isSingle() ? at.shown().code() : null;
    }

    private static @Nullable String remark(Standing at) {
        return at.answered() == at.items()
                ? null
                : (at.items() - at.answered()) + " of " + at.items()
                        + " items have no answer; the file of errors beside the answers says why.";
    }
}
