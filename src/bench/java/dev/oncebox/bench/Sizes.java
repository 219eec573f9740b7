package dev.oncebox.bench;

/**
 * How much is measured.
 *
 * @param rounds how often everything is repeated
 * @param calls of the fast contestants in one round
 * @param slowCalls of the slow ones, as they take as long for fewer
 * @param delayedCalls to the endpoint that takes its time
 * @param redropped lines of the file that is dropped again
 * @param ledger calls that a ledger has in it already
 * @param manyLines and
 * @param fewLines of two files whose need of memory is compared
 * @param files dropped on their own
 * @param pending calls that wait when the process is killed
 * @param sharedCalls of nodes that share a ledger
 * @param warmCalls of each of them before it counts
 */
record Sizes(
        int rounds,
        int calls,
        int slowCalls,
        int delayedCalls,
        int redropped,
        int ledger,
        int manyLines,
        int fewLines,
        int files,
        int pending,
        int sharedCalls,
        int warmCalls) {

    /** Some minutes. */
    static Sizes small() {
        return new Sizes(3, 20_000, 4_000, 12_800, 20_000, 200_000, 60_000, 10_000, 4_000, 100_000, 12_000, 4_000);
    }

    /** As the targets are meant; an hour or so. */
    static Sizes large() {
        return new Sizes(
                5, 50_000, 10_000, 64_000, 100_000, 1_000_000, 1_000_000, 10_000, 10_000, 100_000, 40_000, 10_000);
    }

    Sizes withRounds(int wanted) {
        return new Sizes(
                wanted,
                calls,
                slowCalls,
                delayedCalls,
                redropped,
                ledger,
                manyLines,
                fewLines,
                files,
                pending,
                sharedCalls,
                warmCalls);
    }
}
