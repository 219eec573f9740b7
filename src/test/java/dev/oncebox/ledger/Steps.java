package dev.oncebox.ledger;

/** What the routes say about each kind of failure, for tests that settle calls without routes. */
public final class Steps {

    private Steps() {}

    public static NextStep of(Verdict verdict) {
        return switch (verdict.kind()) {
            case "UNSENT", "BUSY" -> new NextStep(NextStep.Kind.LATER, false);
            case "ENGINE" -> new NextStep(NextStep.Kind.LATER, true);
            case "MISFIT" -> new NextStep(NextStep.Kind.DEAD, true);
            case "REQUEST", "UNUSABLE" -> new NextStep(NextStep.Kind.DEAD, false);
            case "INCOMPLETE" -> new NextStep(NextStep.Kind.AGAIN, true);
            default -> NextStep.IN_DOUBT;
        };
    }
}
