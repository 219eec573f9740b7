package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Restored;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A copy of a ledger that goes on, and what a start on that copy does. */
class SqlBackupTest extends LedgerTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    private Path file() {
        return ((SqliteStorage) storage).file();
    }

    private SqlBackup.Counts copy(Path to) throws IOException {
        return SqlBackup.copy(file(), Files.createFile(to), clock.millis());
    }

    private void putInPlace(Path copy) throws IOException {
        ledger.close();
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
        for (String ending : new String[] {"-wal", "-shm"}) {
            Files.deleteIfExists(file().resolveSibling(file().getFileName() + ending));
        }
        ledger = storage.open((job, engine) -> policy, clock, random);
    }

    @Test
    void a_copy_has_everything_of_its_moment_and_nothing_lies_beside_it() throws IOException {
        drop("a.jsonl", "one", "two");
        answerAll();
        deliverAll();

        SqlBackup.Counts counts = copy(folder.resolve("copy.db"));

        assertThat(counts).isEqualTo(new SqlBackup.Counts(1, 2, 2));
        assertThat(folder.toFile().list()).contains("copy.db").doesNotContain("copy.db-wal", "copy.db-journal");
        var before = everything();
        putInPlace(folder.resolve("copy.db"));
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void what_waited_when_the_copy_was_made_is_held_once_whatever_the_policy() throws IOException {
        policy = RESEND;
        drop("a.jsonl", "waits", "is claimed", "is answered");
        ledger.claim(ENGINE, 1);
        attempt(valid("done"));
        copy(folder.resolve("copy.db"));
        clock.pass(Duration.ofHours(1));
        answerAll();
        putInPlace(folder.resolve("copy.db"));

        ledger.recover();
        Restored restored = ledger.restored().orElseThrow();

        assertThat(restored.held()).isEqualTo(2);
        assertThat(clock.millis() - restored.madeAt())
                .isBetween(
                        Duration.ofHours(1).toMillis(), Duration.ofMinutes(62).toMillis());
        assertThat(ledger.claim(ENGINE, 10)).isEmpty();
        assertThat(call("waits").state()).isEqualTo(CallState.DOUBT);
        assertThat(call("waits").code()).isEqualTo("restored");
        assertThat(events("waits")).contains(EventKind.IN_DOUBT);
        assertThat(ledger.restored()).isEmpty();
        drop("b.jsonl", "new");
        assertThat(claim().request().text()).isEqualTo("new");
        try (SqlDecisions decisions = SqlDecisions.open(new LedgerUrl.SqliteFile(file()), clock)) {
            decisions.list(CallState.DOUBT).forEach(call -> assertThat(decisions.resend(call, ENGINE))
                    .isTrue());
        }
        assertThat(ledger.claim(ENGINE, 10)).hasSize(2);
    }

    @Test
    void a_copy_of_a_copy_that_nobody_worked_on_is_as_old_as_that_one() throws IOException {
        drop("a.jsonl", "one");
        copy(folder.resolve("copy.db"));
        long first = clock.millis();
        clock.pass(Duration.ofDays(2));

        SqlBackup.copy(folder.resolve("copy.db"), Files.createFile(folder.resolve("second.db")), clock.millis());

        putInPlace(folder.resolve("second.db"));
        assertThat(first - ledger.restored().orElseThrow().madeAt()).isBetween(0L, 60_000L);
    }
}
