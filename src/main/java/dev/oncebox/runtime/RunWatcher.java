package dev.oncebox.runtime;

/** Looks at a run from outside while it works. Whatever it meets, it throws nothing: a run is worth more. */
public interface RunWatcher {

    /** Called some ten times a second while an idle moment is waited for. */
    void look();

    /** Called once more when everything is done, before the ledger is closed. */
    void lookForTheLastTime();
}
