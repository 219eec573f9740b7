package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.Policy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** A SQLite file for the ledger's test kit. It looks at the plan of every statement. */
public final class SqliteStorage implements LedgerStorage {

    private final Path file;
    private final WatchedPlans plans;

    private SqliteStorage(Path file) {
        this.file = file;
        this.plans = new WatchedPlans(new Sqlite(file, false));
    }

    public static LedgerStorage in(Path folder) {
        return new SqliteStorage(folder.resolve("ledger.db"));
    }

    Path file() {
        return file;
    }

    @Override
    public Ledger open(Policy.Source policies, Clock clock, RandomGenerator random) {
        return SqlLedger.open(plans, new Surroundings(policies, 1, clock, random, reason -> {}), Scope.everything());
    }

    @Override
    public void checkStatements() {
        assertThat(plans.statements()).isPositive();
        assertThat(plans.scans())
                .as("statements that read through a table that grows")
                .isEmpty();
    }

    @Override
    public Connection look() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }
}
