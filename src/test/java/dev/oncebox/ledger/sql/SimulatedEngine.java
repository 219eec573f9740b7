package dev.oncebox.ledger.sql;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Paid endpoints whose behaviour is drawn, and which know what they really charged, whatever anybody saw of it. */
final class SimulatedEngine {

    private final Random dice;
    private final boolean deduplicates;
    private final boolean asynchronous;
    private final Set<String> known = new HashSet<>();
    final Map<Long, Integer> requests = new HashMap<>();
    final Map<Long, Integer> charges = new HashMap<>();

    SimulatedEngine(Random dice, boolean deduplicates, boolean asynchronous) {
        this.dice = dice;
        this.deduplicates = deduplicates;
        this.asynchronous = asynchronous;
    }

    /** A request arrives, or gets lost; what the client sees of it. */
    Verdict ask(Call call) {
        int fate = dice.nextInt(16);
        if (fate == 0) {
            return new Verdict.Unsent("connection_refused", "Refused.");
        }
        requests.merge(call.id(), 1, Integer::sum);
        return switch (fate) {
            case 1 -> new Verdict.Unknown("connection_lost", "Lost on its way.", false);
            case 2 -> new Verdict.Refused("slow_down", "Slow down.", Cause.BUSY, Duration.ofSeconds(dice.nextInt(90)));
            case 3 -> new Verdict.Refused("invalid_api_key", "No.", Cause.ENGINE, null);
            case 4 ->
                dice.nextInt(4) == 0
                        ? new Verdict.Refused("bad", "Bad.", Cause.REQUEST, null)
                        : new Verdict.Refused("no_model", "No model.", Cause.MISFIT, null);
            default -> charged(call, fate);
        };
    }

    private Verdict charged(Call call, int fate) {
        boolean repeated = !known.add(call.engine() + call.id());
        if (!(deduplicates && repeated)) {
            charges.merge(call.id(), 1, Integer::sum);
        }
        return switch (fate) {
            case 5, 6 -> new Verdict.Unknown("timeout", "Late.", true);
            case 7 -> new Verdict.Unknown("http_500", "Broken.", false);
            case 8 -> new Verdict.Incomplete("cut_short", "Cut.", Charged.UNKNOWN, Usage.UNKNOWN);
            case 9 -> new Verdict.Incomplete("not_json", "Not JSON.", Charged.YES, Usage.UNKNOWN);
            case 10 ->
                dice.nextInt(3) == 0 ? new Verdict.Unusable("empty_answer", "Empty.", Usage.UNKNOWN) : answered(call);
            default -> answered(call);
        };
    }

    private Verdict answered(Call call) {
        return asynchronous
                ? new Verdict.Accepted("job/" + call.id(), "queued", Duration.ofSeconds(dice.nextInt(60)))
                : valid(call);
    }

    /** It was not worked on, and is charged for no more. */
    private Verdict expired(Call call) {
        charges.merge(call.id(), -1, Integer::sum);
        known.remove(call.engine() + call.id());
        return new Verdict.Refused("batch_expired", "Not done.", Cause.BUSY, null);
    }

    /** An accepted call is asked for, which costs nothing. */
    Verdict poll(Call call) {
        return switch (dice.nextInt(12)) {
            case 0 -> new Verdict.Unknown("job_lost", "Lost.", false);
            case 1 -> new Verdict.Incomplete("job_failed", "Failed.", Charged.UNKNOWN, Usage.UNKNOWN);
            case 2 -> expired(call);
            case 3, 4 -> new Verdict.Running("No reply.", false, Duration.ofSeconds(5));
            case 5, 6, 7 -> new Verdict.Running("running", true, Duration.ofSeconds(dice.nextInt(60)));
            default -> valid(call);
        };
    }

    private static Verdict valid(Call call) {
        return new Verdict.Valid(new Answer(TextNode.valueOf(answerTo(call.id())), "stop", "m", Usage.UNKNOWN));
    }

    static String answerTo(long call) {
        return "answer to " + call;
    }
}
