package dev.oncebox.ledger.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * A ledger in PostgreSQL: a pool of connections, each of which waits for the disk at every commit, whatever the server's
 * default is.
 */
final class Postgres implements Dialect {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final int MOST = 16;

    /** Nothing here runs long, and nothing stays open across a model call: what does so is stuck. */
    private static final String ON_CONNECT = "SET synchronous_commit = on; SET statement_timeout = '60s';"
            + " SET lock_timeout = '20s'; SET idle_in_transaction_session_timeout = '60s'";

    private final String url;
    private final HikariDataSource pool;

    /** @param url {@code jdbc:postgresql://HOST[:PORT]/DATABASE[?…]}, with user, password and TLS as its driver takes them */
    Postgres(String url) {
        this.url = url;
        var config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setPoolName("ledger");
        config.setConnectionTimeout(CONNECT.toMillis());
        config.setMaximumPoolSize(MOST);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        config.setConnectionInitSql(ON_CONNECT);
        config.addDataSourceProperty("ApplicationName", "oncebox");
        pool = new HikariDataSource(config);
    }

    @Override
    public Connection connect() throws SQLException {
        return pool.getConnection();
    }

    @Override
    public void migrate() {
        try {
            Flyway.configure()
                    .dataSource(pool)
                    .locations("classpath:db/postgresql")
                    .group(true)
                    .ignoreMigrationPatterns(new String[0])
                    .baselineOnMigrate(false)
                    .validateMigrationNaming(true)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new ConfigException(
                    "The ledger " + name() + " cannot be opened: " + advice(e) + " Nothing in it was changed.");
        }
    }

    private static String advice(FlywayException failure) {
        String text = String.valueOf(failure.getMessage());
        if (text.contains("not resolved locally")) {
            return "it " + Sqlite.MADE_LATER;
        }
        return text.lines().findFirst().orElse("unknown cause");
    }

    /** Its address without parameters: one of them may be a password. */
    @Override
    public String name() {
        int parameters = url.indexOf('?');
        return parameters < 0 ? url : url.substring(0, parameters);
    }

    @Override
    public String begin() {
        return "BEGIN";
    }

    @Override
    public String skipLocked() {
        return " FOR UPDATE SKIP LOCKED";
    }

    @Override
    public LedgerException explain(SQLException failure) {
        return new LedgerException(
                "The ledger " + name() + " cannot be used: " + failure.getMessage(), !isFatal(failure), failure);
    }

    /** Data damage alone (class XX): a server that is gone comes back, and knows by itself what it holds. */
    @Override
    public boolean isFatal(SQLException failure) {
        return failure.getSQLState() != null && failure.getSQLState().startsWith("XX");
    }

    @Override
    public boolean marksCopies() {
        return false;
    }

    @Override
    public @Nullable String lost() {
        return null;
    }

    @Override
    public void close() {
        pool.close();
    }
}
