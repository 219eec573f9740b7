package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * One cell of the matrix: where a process dies, what it worked on, and whether the next one dies there too.
 *
 * @param pass which time the moment is reached by the first process
 * @param again whether the next process dies at the same moment, when it reaches it for the first time
 * @param batch a batch; else a single file
 */
record CrashCell(CrashPoint at, int pass, boolean again, boolean hold, boolean batch) {

    /** Calls that are submitted together have trials of their own. */
    static final Set<CrashPoint> OF_BATCHES =
            EnumSet.of(CrashPoint.AFTER_GATHERED, CrashPoint.AFTER_UPLOAD, CrashPoint.IN_RESULTS);

    /** What an engine that answers at once never comes to; see {@link AsyncCrashCell}. */
    static final Set<CrashPoint> OF_ASYNCHRONOUS_ENGINES = EnumSet.of(
            CrashPoint.AFTER_ACCEPTED,
            CrashPoint.BEFORE_ASKING,
            CrashPoint.AFTER_ASKING,
            CrashPoint.AFTER_GATHERED,
            CrashPoint.AFTER_UPLOAD,
            CrashPoint.IN_RESULTS);

    private static final Set<CrashPoint> IN_FLIGHT =
            EnumSet.of(CrashPoint.AFTER_SENT, CrashPoint.AFTER_FIRST_BYTE, CrashPoint.AFTER_RESPONSE);
    private static final Set<CrashPoint> OF_CALLS = EnumSet.range(CrashPoint.AFTER_CLAIM, CrashPoint.AFTER_DONE);
    private static final Set<CrashPoint> OF_STARTS = EnumSet.range(CrashPoint.AFTER_RESCUE, CrashPoint.AFTER_RESUME);

    private static final Set<CrashPoint> OF_REFUSALS = EnumSet.of(CrashPoint.AFTER_FALLBACK, CrashPoint.AFTER_PAUSE);

    /** What is done there is done for good, so that no later process comes to it with the same work. */
    private static final Set<CrashPoint> ONCE = EnumSet.of(
            CrashPoint.AFTER_ARCHIVE_MOVE,
            CrashPoint.AFTER_ARCHIVED,
            CrashPoint.AFTER_DELIVERY_RECORDED,
            CrashPoint.AFTER_RESCUE);

    /** The same, where a single call is all there is. */
    private static final Set<CrashPoint> ONCE_A_CALL =
            EnumSet.of(CrashPoint.AFTER_DONE, CrashPoint.AFTER_FALLBACK, CrashPoint.AFTER_RENAME);

    /** A batch has an item that is refused once, which is its second call; its third is like any other. */
    private static final int USUAL_CALL = 3;

    private static final int REFUSED_CALL = 2;
    private static final int FILES_OF_A_BATCH = 3;

    /**
     * The whole matrix, or what of it can differ: a policy counts only where a call may be in flight, and who dies twice
     * has also died once.
     */
    static List<CrashCell> all(boolean whole) {
        List<CrashCell> cells = new ArrayList<>();
        for (CrashPoint at : EnumSet.complementOf(EnumSet.copyOf(OF_ASYNCHRONOUS_ENGINES))) {
            for (boolean batch : new boolean[] {false, true}) {
                for (int pass : passes(at, batch, whole)) {
                    for (boolean hold : new boolean[] {false, true}) {
                        var once = new CrashCell(at, pass, false, hold, batch);
                        var twice = new CrashCell(at, pass, true, hold, batch);
                        if (hold && !whole && !once.leavesDoubt()) {
                            continue;
                        }
                        if (whole || !twice.isPossible()) {
                            cells.add(once);
                        }
                        if (twice.isPossible()) {
                            cells.add(twice);
                        }
                    }
                }
            }
        }
        return cells;
    }

    private static List<Integer> passes(CrashPoint at, boolean batch, boolean whole) {
        if (!batch) {
            return List.of(1);
        }
        if (OF_CALLS.contains(at)) {
            if (whole) {
                return List.of(1, REFUSED_CALL, USUAL_CALL, USUAL_CALL + 1);
            }
            return at == CrashPoint.AFTER_DONE ? List.of(REFUSED_CALL, USUAL_CALL) : List.of(USUAL_CALL);
        }
        if (at == CrashPoint.AFTER_TEMP_FILE || at == CrashPoint.AFTER_RENAME) {
            return whole ? List.of(1, 2, FILES_OF_A_BATCH) : List.of(1, FILES_OF_A_BATCH);
        }
        return List.of(1);
    }

    private boolean isPossible() {
        if (!again) {
            return true;
        }
        boolean held = hold && IN_FLIGHT.contains(at) && !batch;
        boolean lastFile = at == CrashPoint.AFTER_RENAME && pass == FILES_OF_A_BATCH;
        return !held && !lastFile && !ONCE.contains(at) && (batch || !ONCE_A_CALL.contains(at));
    }

    boolean isRefused() {
        return OF_REFUSALS.contains(at);
    }

    boolean isRejected() {
        return at == CrashPoint.AFTER_EXPLAINED;
    }

    boolean isRescued() {
        return at == CrashPoint.AFTER_RESCUE;
    }

    /** The values of {@code oncebox.crash-at}, a process each. A start has something to put in order after a death. */
    List<String> deaths() {
        List<String> deaths = new ArrayList<>();
        if (OF_STARTS.contains(at)) {
            deaths.add(CrashPoint.AFTER_RESPONSE + ":" + (batch ? USUAL_CALL : 1));
        }
        deaths.add(at + ":" + pass);
        if (again) {
            deaths.add(at + ":1");
        }
        return deaths;
    }

    /** How many sends are recorded whose end nobody knows. */
    int doubts() {
        if (OF_STARTS.contains(at)) {
            return isRescued() ? 0 : 1;
        }
        return IN_FLIGHT.contains(at) ? again ? 2 : 1 : 0;
    }

    /** How many of these never left. */
    int unsent() {
        return at == CrashPoint.AFTER_SENT ? doubts() : 0;
    }

    /** Whether a refused attempt is among those whose end nobody knows: then it is no more than that. */
    boolean losesRefusal() {
        return batch && IN_FLIGHT.contains(at) && at != CrashPoint.AFTER_SENT && pass == REFUSED_CALL;
    }

    private boolean leavesDoubt() {
        return doubts() > 0;
    }

    String file() {
        return batch ? "x.jsonl" : "x.md";
    }

    @Override
    public String toString() {
        return at + ":" + pass + (again ? " and again" : "") + ", " + file() + ", on-doubt="
                + (hold ? "hold" : "resend");
    }
}
