package dev.oncebox.ledger;

/** Whether an attempt cost money. */
public enum Charged {
    YES,
    NO,
    UNKNOWN
}
