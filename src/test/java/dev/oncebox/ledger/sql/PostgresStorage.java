package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.Policy;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** A PostgreSQL server of this test process; every test finds its tables empty. */
final class PostgresStorage implements LedgerStorage {

    private static final String TABLES =
            "node, job, file, batch, call, request, answer, reply, item, source, event, pause";

    /** One for all tests: it takes seconds to start. It ends with the process. */
    private static final class Server {
        private static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres started = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .setServerConfig("full_page_writes", "off")
                        .start();
                var dialect = new Postgres(started.getJdbcUrl("postgres", "postgres"));
                dialect.migrate();
                dialect.close();
                return started;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
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
        return Server.POSTGRES.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public Ledger open(Policy.Source policies, Clock clock, RandomGenerator random) {
        return SqlLedger.open(
                new Postgres(url()),
                new SqlLedger.Surroundings(policies, 1, clock, random, reason -> {}),
                Scope.everything());
    }

    @Override
    public Connection look() throws SQLException {
        return Server.POSTGRES.getPostgresDatabase().getConnection();
    }
}
