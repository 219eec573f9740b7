package dev.oncebox.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** The database that the test kit runs on. Its tables are the same whatever it is. */
public interface LedgerStorage {

    /** Opens the ledger in it as its only worker, making it when it is not there. */
    Ledger open(Policy.Source policies, Clock clock, RandomGenerator random);

    /** A connection of its own, to look at the tables. */
    Connection look() throws SQLException;

    /** Fails when a statement so far needs the longer the more the ledger holds, as far as the database says so. */
    default void checkStatements() {}
}
