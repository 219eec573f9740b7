package dev.oncebox.ledger;

/** Is told of every attempt that came to something, on the thread that settles it: it must be quick, and never fails. */
@FunctionalInterface
public interface Settlements {

    /** Nobody is told. */
    Settlements UNHEARD = (call, verdict, nanos) -> {};

    /**
     * @param nanos from the moment when the send was on the disk; 0: nothing was sent, or it was sent with others
     */
    void settled(Call call, Verdict verdict, long nanos);
}
