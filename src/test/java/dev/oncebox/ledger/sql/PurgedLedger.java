package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.sql.SqlRetention.Dropped;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;

/** A ledger in SQLite that is answered, delivered, and purged months later. */
abstract class PurgedLedger extends LedgerTck {

    static final Duration MONTH = Duration.ofDays(30);

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    Path file() {
        return ((SqliteStorage) storage).file();
    }

    SqlRetention retention() {
        return SqlRetention.open(new LedgerUrl.SqliteFile(file()), false, clock);
    }

    Dropped purge() {
        try (SqlRetention retention = retention()) {
            Dropped dropped = Dropped.NOTHING;
            long before = clock.millis() - MONTH.toMillis();
            for (Dropped some = retention.drop(before); some != null; some = retention.drop(before)) {
                dropped = dropped.plus(some);
            }
            return dropped;
        }
    }

    Dropped count() {
        try (SqlRetention retention = SqlRetention.open(new LedgerUrl.SqliteFile(file()), true, clock)) {
            return retention.count(clock.millis() - MONTH.toMillis());
        }
    }

    void monthsPass() {
        clock.pass(MONTH.plusDays(1));
    }

    long bodies(String key) {
        return number(
                "SELECT (SELECT count(*) FROM request WHERE call = c.id) + (SELECT count(*) FROM answer WHERE call = c.id)"
                        + " + (SELECT count(*) FROM reply WHERE call = c.id) FROM call c WHERE key = ?",
                (Object) sha256(key));
    }

    Figures figures() {
        try (SqlReports reports = SqlReports.open(new LedgerUrl.SqliteFile(file()))) {
            return reports.figures(clock.millis());
        }
    }

    boolean retry(String key) {
        try (SqlDecisions decisions = SqlDecisions.open(new LedgerUrl.SqliteFile(file()), clock)) {
            return decisions.list(CallState.DEAD).stream()
                    .filter(call -> call.key().equals(HexFormat.of().formatHex(sha256(key))))
                    .anyMatch(call -> decisions.retry(call, ENGINE));
        }
    }

    void answered(String path, String... texts) {
        drop(path, texts);
        for (var call : ledger.claim(ENGINE, 1000)) {
            assertThat(ledger.sent(call)).isTrue();
            var answer = valid("answer to " + call.request().text());
            ledger.settle(call, answer, Steps.of(answer), new Reply(200, "raw".getBytes(StandardCharsets.UTF_8)));
        }
        deliverAll();
    }
}
