package dev.oncebox.ledger;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt at a call came to: whether it cost money, and what may follow.
 *
 * <p>{@code code} is a stable word for scripts, {@code reason} a sentence for people; neither holds a secret,
 * and both are fit for any database, whatever the endpoint wrote.
 */
public sealed interface Verdict {

    Charged charged();

    /** What the engine says that the attempt used. */
    default Usage usage() {
        return Usage.UNKNOWN;
    }

    /** What happened, in a word for routes: the name of the type, or of a refusal's cause. */
    default String kind() {
        String name = this instanceof Refused refused
                ? refused.cause().name()
                : getClass().getSimpleName();
        return name.toUpperCase(Locale.ROOT);
    }

    /** No answer that counts. */
    sealed interface Failure extends Verdict {

        /** A stable word for scripts. */
        String code();

        /** A sentence for people. */
        String reason();
    }

    /** A whole answer that meets the job's rules. The call is done. */
    record Valid(Answer answer) implements Verdict {
        @Override
        public Usage usage() {
            return answer.usage();
        }

        @Override
        public Charged charged() {
            return Charged.YES;
        }
    }

    /**
     * An asynchronous engine took the call and will answer later. It is paid for, and asking for the answer is free.
     *
     * @param address where it is asked for
     * @param said what the engine says of it, such as {@code queued}
     * @param delay until it is asked for, at least
     */
    record Accepted(String address, String said, Duration delay) implements Verdict {
        public Accepted {
            said = Shown.sentence(said);
        }

        @Override
        public Charged charged() {
            return Charged.YES;
        }
    }

    /**
     * The engine was asked for the answer of an accepted call, and there is none yet.
     *
     * @param said what the engine says of it, or why it could not be asked
     * @param known whether the engine knows of the call, as far as could be seen
     * @param delay until it is asked again, at least
     */
    record Running(String said, boolean known, Duration delay) implements Verdict {
        public Running {
            said = Shown.sentence(said);
        }

        @Override
        public Charged charged() {
            return Charged.YES;
        }
    }

    /** A reply came, but it was cut short or is no answer. Another attempt may bring a whole one. */
    record Incomplete(String code, String reason, Charged charged, Usage usage) implements Failure {
        public Incomplete {
            code = Shown.word(code);
            reason = Shown.sentence(reason);
        }
    }

    /** A whole, paid answer that the job does not accept. Asking again would buy the same: a dead letter. */
    record Unusable(String code, String reason, Usage usage) implements Failure {
        public Unusable {
            code = Shown.word(code);
            reason = Shown.sentence(reason);
        }

        @Override
        public Charged charged() {
            return Charged.YES;
        }
    }

    /** Nothing was written to the endpoint: it could not be found, reached or trusted. */
    record Unsent(String code, String reason) implements Failure {
        public Unsent {
            code = Shown.word(code);
            reason = Shown.sentence(reason);
        }

        @Override
        public Charged charged() {
            return Charged.NO;
        }
    }

    /**
     * The endpoint said no, and a no costs nothing.
     *
     * @param retryAfter how long the endpoint asks to wait; null when it does not say
     */
    record Refused(
            String code,
            String reason,
            Cause cause,
            @Nullable Duration retryAfter) implements Failure {

        public Refused {
            code = Shown.word(code);
            reason = Shown.sentence(reason);
        }

        /** Whose fault a refusal is. */
        public enum Cause {
            /** Too much, too fast, or down for a moment: the same request is welcome later. */
            BUSY,
            /** The account or the address: no request would pass until a person mends it. */
            ENGINE,
            /** It does not fit this engine: no such model or address, too long; another engine may take it. */
            MISFIT,
            /** The request itself: it would be refused for ever. */
            REQUEST
        }

        @Override
        public Charged charged() {
            return Charged.NO;
        }
    }

    /**
     * It was written, and what became of it is not known.
     *
     * @param timeout whether the engine's time was over
     * @param repeatable false: the endpoint says itself that a repeat would not help
     */
    record Unknown(String code, String reason, boolean timeout, boolean repeatable) implements Failure {
        public Unknown(String code, String reason, boolean timeout) {
            this(code, reason, timeout, true);
        }

        public Unknown {
            code = Shown.word(code);
            reason = Shown.sentence(reason);
        }

        @Override
        public Charged charged() {
            return Charged.UNKNOWN;
        }
    }
}
