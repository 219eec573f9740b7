package dev.oncebox.ledger.sql;

import dev.oncebox.Database;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.Policy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** A PostgreSQL server of this test process; every test finds its tables empty. */
final class PostgresStorage implements LedgerStorage {

    private static final String TABLES =
            "node, job, file, batch, call, request, answer, reply, item, source, event, pause";

    /** One for all tests. */
    private static final class Shared {
        private static final Database DATABASE = make();

        private static Database make() {
            var made = Database.make();
            var dialect = new Postgres(made.url(), true);
            dialect.migrate();
            dialect.close();
            return made;
        }
    }

    private PostgresStorage() {}

    static LedgerStorage emptied() {
        var storage = new PostgresStorage();
        try (Connection connection = storage.look();
                Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE " + TABLES + " RESTART IDENTITY");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return storage;
    }

    static String url() {
        return Shared.DATABASE.url();
    }

    @Override
    public Ledger open(Policy.Source policies, Clock clock, RandomGenerator random) {
        return SqlLedger.open(
                new Postgres(url(), true),
                new SqlLedger.Surroundings(policies, 1, clock, random, reason -> {}),
                Scope.everything());
    }

    @Override
    public Connection look() throws SQLException {
        return Shared.DATABASE.connect();
    }
}
