package dev.oncebox.ledger.sql;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Another dialect with something in between. */
abstract class PassingDialect implements Dialect {

    final Dialect dialect;

    PassingDialect(Dialect dialect) {
        this.dialect = dialect;
    }

    @Override
    public String name() {
        return dialect.name();
    }

    @Override
    public boolean exists() {
        return dialect.exists();
    }

    @Override
    public Connection connect() throws SQLException {
        return dialect.connect();
    }

    @Override
    public Sharing sharing() {
        return dialect.sharing();
    }

    @Override
    public long version(Session session) throws SQLException {
        return dialect.version(session);
    }

    @Override
    public void migrate() {
        dialect.migrate();
    }

    @Override
    public String begin() {
        return dialect.begin();
    }

    @Override
    public String beginReading() {
        return dialect.beginReading();
    }

    @Override
    public LedgerException explain(SQLException failure) {
        return dialect.explain(failure);
    }

    @Override
    public ConfigException unreadable(SQLException failure) {
        return dialect.unreadable(failure);
    }

    @Override
    public boolean isWrong(SQLException failure) {
        return dialect.isWrong(failure);
    }

    @Override
    public boolean isFatal(SQLException failure) {
        return dialect.isFatal(failure);
    }

    @Override
    public boolean isCollision(SQLException failure) {
        return dialect.isCollision(failure);
    }

    @Override
    public boolean marksCopies() {
        return dialect.marksCopies();
    }

    @Override
    public Space space(Session session) throws SQLException {
        return dialect.space(session);
    }

    @Override
    public @Nullable String lost() {
        return dialect.lost();
    }

    @Override
    public void close() {
        dialect.close();
    }
}
