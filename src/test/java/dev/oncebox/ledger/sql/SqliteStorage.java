package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.Policy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** A SQLite file for the ledger's test kit. */
public record SqliteStorage(Path file) implements LedgerStorage {

    public static LedgerStorage in(Path folder) {
        return new SqliteStorage(folder.resolve("ledger.db"));
    }

    @Override
    public Ledger open(Policy.Source policies, Clock clock, RandomGenerator random) {
        return SqlLedger.open(file, new SqlLedger.Surroundings(policies, 1, clock, random, reason -> {}));
    }

    @Override
    public Connection look() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }
}
