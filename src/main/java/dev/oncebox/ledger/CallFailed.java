package dev.oncebox.ledger;

/** An attempt that did not bring a valid answer, on its way through the route to where it is settled. */
public final class CallFailed extends Exception {

    private final transient Verdict verdict;

    public CallFailed(Verdict verdict) {
        super(verdict.toString(), null, false, false);
        this.verdict = verdict;
    }

    public Verdict verdict() {
        return verdict;
    }
}
