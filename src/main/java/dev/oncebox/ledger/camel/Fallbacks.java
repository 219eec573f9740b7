package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Ledger.Move;
import dev.oncebox.ledger.Pause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The ways that calls may go when their engine is left in peace: forward in their job's order, past other engines that
 * are left in peace too.
 *
 * @param enginesOfJobs each job's engines in its order
 * @param resending engines under which a call that may have been charged is repeated without asking a person
 */
public record Fallbacks(Map<String, List<String>> enginesOfJobs, Set<String> resending) {

    /** The ways that lead to an engine. */
    public List<Move> to(String engine, Map<String, Pause> pauses) {
        Map<String, List<String>> jobsByOrigin = new TreeMap<>();
        enginesOfJobs.forEach((job, engines) -> {
            for (int i = engines.indexOf(engine) - 1; i >= 0 && isBroken(engines.get(i), pauses); i--) {
                jobsByOrigin
                        .computeIfAbsent(engines.get(i), origin -> new ArrayList<>())
                        .add(job);
            }
        });
        List<Move> moves = new ArrayList<>();
        jobsByOrigin.forEach((from, jobs) -> {
            Pause pause = pauses.get(from);
            String reason = pause == null ? "" : pause.reason().replaceFirst("\\.$", "");
            moves.add(new Move(from, engine, jobs, resending.contains(from), reason));
        });
        return moves;
    }

    private static boolean isBroken(String engine, Map<String, Pause> pauses) {
        Pause pause = pauses.get(engine);
        return pause != null && pause.isBroken();
    }
}
