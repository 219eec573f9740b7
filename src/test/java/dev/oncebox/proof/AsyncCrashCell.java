package dev.oncebox.proof;

import dev.oncebox.CrashPoint;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Where a process dies that works on a call of an asynchronous engine, and under which policy.
 *
 * @param pass which time the moment is reached
 */
record AsyncCrashCell(CrashPoint at, int pass, boolean hold) {

    /** Sent, and the address of the job is not in the ledger. */
    private static final Set<CrashPoint> IN_FLIGHT =
            EnumSet.of(CrashPoint.AFTER_SENT, CrashPoint.AFTER_FIRST_BYTE, CrashPoint.AFTER_RESPONSE);

    /** All of them: until the address is known the policy counts, and from then on nothing but the address. */
    static List<AsyncCrashCell> all() {
        List<AsyncCrashCell> cells = new ArrayList<>();
        for (CrashPoint at : IN_FLIGHT) {
            cells.add(new AsyncCrashCell(at, 1, false));
            cells.add(new AsyncCrashCell(at, 1, true));
        }
        for (CrashPoint at : EnumSet.of(
                CrashPoint.AFTER_DONE, CrashPoint.AFTER_ACCEPTED, CrashPoint.BEFORE_ASKING, CrashPoint.AFTER_ASKING)) {
            cells.add(new AsyncCrashCell(at, 1, true));
            cells.add(new AsyncCrashCell(at, 2, true));
        }
        // the first file is the address, the second one the answer
        for (CrashPoint at : EnumSet.of(CrashPoint.AFTER_TEMP_FILE, CrashPoint.AFTER_RENAME)) {
            cells.add(new AsyncCrashCell(at, 1, true));
            cells.add(new AsyncCrashCell(at, 2, true));
        }
        cells.add(new AsyncCrashCell(CrashPoint.AFTER_RESPONSE, 2, true));
        cells.add(new AsyncCrashCell(CrashPoint.AFTER_DELIVERED, 1, true));
        cells.add(new AsyncCrashCell(CrashPoint.AFTER_DELIVERY_RECORDED, 1, true));
        return cells;
    }

    /** Whether nobody knows where to ask. */
    boolean isDoubt() {
        return IN_FLIGHT.contains(at) && pass == 1;
    }

    /** Whether the endpoint was never sent anything before the death. */
    boolean isUnsent() {
        return at == CrashPoint.AFTER_SENT;
    }

    @Override
    public String toString() {
        return at + ":" + pass + ", on-doubt=" + (hold ? "hold" : "resend");
    }
}
