package dev.oncebox.ledger.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A ledger in PostgreSQL, which any number of nodes may share. Each connection waits for the disk at every commit,
 * whatever the server's default is, and none waits for ever: neither for the server, nor for a lock, nor for an answer
 * from a machine that is gone.
 */
final class Postgres implements Dialect {

    /** The oldest that its makers still mend, and the oldest that this was tried on. */
    private static final int OLDEST = 15;

    private static final Duration CONNECT = Duration.ofSeconds(10);
    /** Without any byte from the server; more than the server itself lets a statement take. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private static final int MOST = 32;

    /** Nothing here runs long, and nothing stays open across a model call: what does so is stuck. */
    private static final String OF_A_WORKER = "SET synchronous_commit = on; SET statement_timeout = '20s';"
            + " SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '20s'";

    private static final String OF_A_COMMAND = "SET synchronous_commit = on; SET lock_timeout = '20s';"
            + " SET idle_in_transaction_session_timeout = '10min'";

    private static final Set<String> DAMAGE = Set.of("XX001", "XX002");
    /** The user, the password, the database, its rights. */
    private static final Set<String> WRONG = Set.of("28P01", "28000", "08004", "3D000", "42501");
    /** A deadlock, and a row that another node has made meanwhile. */
    private static final Set<String> COLLISIONS = Set.of("40001", "40P01", "23505");

    private final String name;
    private final PGSimpleDataSource server;
    private final @Nullable HikariDataSource pool;

    /**
     * @param url as {@link LedgerUrl.PostgresDatabase} has it; what its parameters say is done
     * @param worker whether it is a node's, rather than a command's that asks one thing and ends
     */
    Postgres(String url, boolean worker) {
        name = new LedgerUrl.PostgresDatabase(url).name();
        server = new PGSimpleDataSource();
        server.setApplicationName("oncebox");
        server.setConnectTimeout((int) CONNECT.toSeconds());
        server.setLoginTimeout((int) CONNECT.toSeconds());
        server.setTcpKeepAlive(true);
        if (worker) {
            server.setSocketTimeout((int) SILENCE.toSeconds());
        }
        try {
            server.setURL(url);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("ledger.url cannot be used: a parameter of " + name + " is not what the driver"
                    + " of PostgreSQL takes.");
        }
        pool = worker ? pool() : null;
    }

    private HikariDataSource pool() {
        var config = new HikariConfig();
        config.setDataSource(server);
        config.setPoolName("ledger");
        config.setConnectionTimeout(CONNECT.toMillis());
        config.setMaximumPoolSize(MOST);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        config.setConnectionInitSql(OF_A_WORKER);
        return new HikariDataSource(config);
    }

    @Override
    public Connection connect() throws SQLException {
        return pool == null ? direct(OF_A_COMMAND) : pool.getConnection();
    }

    private Connection direct(String first) throws SQLException {
        Connection connection = server.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute(first);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Of connections that can only read. */
    DataSource source() {
        server.setReadOnly(true);
        return server;
    }

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public Sharing sharing() {
        return Sharing.SHARED;
    }

    @Override
    public long version(Session session) throws SQLException {
        if (session.is("to_regclass('" + LedgerMove.MARK + "') IS NOT NULL")) {
            throw new ConfigException(
                    "The ledger " + name + " is not whole yet: a copy into it was interrupted. Go on with"
                            + " oncebox migrate-ledger FROM TO, which names it.");
        }
        if (session.is("to_regclass('flyway_schema_history') IS NOT NULL")) {
            return session.number("SELECT coalesce(max(CAST(version AS INTEGER)), 0) FROM flyway_schema_history");
        }
        if (session.is("EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())")) {
            throw new ConfigException(
                    "The ledger " + name + " is a database, but no ledger of Oncebox. Check ledger.url.");
        }
        return 0;
    }

    @Override
    public void migrate() {
        try {
            requireServer();
            Flyway.configure()
                    .dataSource(server)
                    .locations("classpath:db/postgresql")
                    .group(true)
                    .ignoreMigrationPatterns(new String[0])
                    .baselineOnMigrate(false)
                    .validateMigrationNaming(true)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw refusal(advice(e));
        } catch (SQLException e) {
            throw isWrong(e) ? refusal(advice(e)) : new ConfigException(refused(advice(e)), explain(e));
        }
    }

    private ConfigException refusal(String why) {
        return new ConfigException(refused(why));
    }

    private String refused(String why) {
        return "The ledger " + name + " cannot be opened: " + why + " Nothing in it was changed.";
    }

    /** What the driver and Flyway would say nothing of, or not in these words. */
    private void requireServer() throws SQLException {
        try (Session session = new Session(direct(OF_A_COMMAND))) {
            long version = session.number("SELECT CAST(current_setting('server_version_num') AS INTEGER)") / 10_000;
            if (version < OLDEST) {
                throw refusal("its server is PostgreSQL " + version + ". It takes " + OLDEST + " or later.");
            }
            String encoding = session.one("SHOW server_encoding", row -> row.getString(1));
            if (!"UTF8".equals(encoding)) {
                throw refusal("its encoding is " + encoding + ", which cannot hold every text. Make a database with:"
                        + " createdb --encoding=UTF8 --template=template0 NAME.");
            }
            if (session.is("pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")) {
                throw refusal("it can only be read (a standby, or default_transaction_read_only is set)."
                        + " Set ledger.url to the server that is written to.");
            }
            version(session);
        }
    }

    private static String advice(FlywayException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return advice(sql);
            }
        }
        String text = String.valueOf(failure.getMessage());
        if (text.contains("not resolved locally")) {
            return "it " + MADE_LATER;
        }
        return text.lines().findFirst().orElse("unknown cause");
    }

    private static String advice(SQLException failure) {
        SQLException first = first(failure);
        String state = String.valueOf(first.getSQLState());
        String said = String.valueOf(first.getMessage()).lines().findFirst().orElse("unknown cause");
        return sentence(said)
                + switch (state) {
                    case "28P01", "28000", "08004" ->
                        " Check user and password in ledger.url (?user=…&password={{env:NAME}}), and pg_hba.conf.";
                    case "3D000" -> " Make it first: createdb NAME.";
                    case "42501" ->
                        " The user must own its tables, or be allowed to make them: GRANT CREATE, USAGE ON SCHEMA"
                                + " public TO …";
                    case "08001", "08006" -> " Check that the server runs, and host, port and TLS in ledger.url.";
                    case "53300" -> " Raise max_connections: a node takes up to " + MOST + ".";
                    default -> "";
                };
    }

    /** What the pool says of a server that it cannot reach is less than what the driver said. */
    private static SQLException first(SQLException failure) {
        return failure.getCause() instanceof SQLException cause ? first(cause) : failure;
    }

    private static String sentence(String text) {
        return text.matches("(?s).*[.!?]") ? text : text + ".";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String begin() {
        return "BEGIN";
    }

    @Override
    public String beginReading() {
        return "BEGIN ISOLATION LEVEL REPEATABLE READ";
    }

    @Override
    public LedgerException explain(SQLException failure) {
        return new LedgerException(
                "The ledger " + name + " cannot be used: " + advice(failure), !isFatal(failure), failure);
    }

    @Override
    public ConfigException unreadable(SQLException failure) {
        return new ConfigException("The ledger " + name + " cannot be read: " + advice(failure));
    }

    @Override
    public boolean isWrong(SQLException failure) {
        return WRONG.contains(String.valueOf(first(failure).getSQLState()));
    }

    /** Data damage alone: a server that is gone comes back, and knows by itself what it holds. */
    @Override
    public boolean isFatal(SQLException failure) {
        return DAMAGE.contains(String.valueOf(failure.getSQLState()));
    }

    @Override
    public boolean isCollision(SQLException failure) {
        return COLLISIONS.contains(String.valueOf(failure.getSQLState()));
    }

    @Override
    public boolean marksCopies() {
        return false;
    }

    @Override
    public Space space(Session session) throws SQLException {
        long size = session.number("SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
                + " WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace(current_schema())");
        return new Space(size, size, 0);
    }

    @Override
    public @Nullable String lost() {
        return null;
    }

    @Override
    public void close() {
        if (pool != null) {
            pool.close();
        }
    }
}
