package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** {@code oncebox backup}, and a start on what it made. */
class BackupTest extends StubbedHome {

    private static CommandOutput backup(TestHome home, Path file) {
        return CommandOutput.of(home, "backup", file.toString());
    }

    private static void restore(TestHome home, Path backup) throws IOException {
        Files.copy(backup, home.path("data/ledger.db"), StandardCopyOption.REPLACE_EXISTING);
        Files.deleteIfExists(home.path("data/ledger.db-wal"));
        Files.deleteIfExists(home.path("data/ledger.db-shm"));
    }

    @Test
    void a_backup_is_whole_private_and_never_written_over() throws IOException {
        TestHome home = home();
        home.drop("x.jsonl", Evidence.batch(3));
        home.runUntilIdle();
        Path file = folder.resolve("safe.db");

        CommandOutput made = CommandOutput.of(home, "backup", "--json", file.toString());

        assertThat(made.exit()).as(made.err()).isZero();
        assertThat(tree(made.out()).path("calls").asInt()).isEqualTo(3);
        assertThat(tree(made.out()).path("bytes").asLong()).isEqualTo(Files.size(file));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        byte[] bytes = Files.readAllBytes(file);
        CommandOutput again = backup(home, file);
        assertThat(again.exit()).isEqualTo(2);
        assertThat(again.err()).contains("never overwritten");
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
        try (var left = Files.list(folder)) {
            assertThat(left.map(path -> path.getFileName().toString()).filter(name -> name.startsWith(".")))
                    .isEmpty();
        }
        restore(home, file);
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(3);
    }

    @Test
    void the_ledgers_own_names_and_what_cannot_be_are_refused() throws IOException {
        TestHome home = home();
        assertThat(backup(home, folder.resolve("safe.db")).err()).contains("There is no ledger");
        home.drop("a.md", "one");
        home.runUntilIdle();
        Files.createSymbolicLink(folder.resolve("link"), home.path("data"));
        for (String name : new String[] {"ledger.db", "ledger.db-wal", "ledger.db.lock", "./ledger.db"}) {
            CommandOutput own = backup(home, home.path("data").resolve(name));
            assertThat(own.exit()).as(name).isEqualTo(2);
            assertThat(own.err()).contains("belongs to the ledger itself");
        }
        assertThat(backup(home, folder.resolve("link/ledger.db-wal")).exit()).isEqualTo(2);
        assertThat(backup(home, folder.resolve("nowhere/safe.db")).err()).contains("There is no folder");
        assertThat(home.exists("safe.db")).isFalse();
    }

    @Test
    void a_damaged_ledger_is_not_copied() throws IOException {
        TestHome home = home();
        home.drop("x.jsonl", Evidence.batch(3));
        home.runUntilIdle();
        byte[] ledger = Files.readAllBytes(home.path("data/ledger.db"));
        Files.write(home.path("data/ledger.db"), Arrays.copyOf(ledger, ledger.length / 2));

        CommandOutput refused = backup(home, folder.resolve("safe.db"));

        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("is damaged");
        assertThat(home.files("")).noneMatch(name -> name.contains("safe.db"));
    }

    /** The ledger goes on after the backup and sends everything; the backup says of all of it that it waits. */
    @Test
    void a_start_on_an_old_backup_pays_for_nothing_by_itself_that_was_sent_since() throws IOException {
        TestHome home = home("budget.calls=1");
        home.drop("x.jsonl", Evidence.batch(5));
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(1);
        Path file = folder.resolve("safe.db");
        assertThat(backup(home, file).exit()).isZero();
        TestHome richer = home();
        assertThat(richer.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(5);

        restore(richer, file);
        richer.drop("y.jsonl", "{\"text\":\"new\"}\n");
        assertThat(richer.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).as("what is new is sent, what waited is not").isEqualTo(6);
        assertThat(richer.status().at("/calls/doubt").asInt()).isEqualTo(4);
        assertThat(CommandOutput.of(richer, "doubt", "list").out()).contains("restored: ", "from a backup of");
        assertThat(CommandOutput.of(richer, "doubt", "resend").exit()).isEqualTo(2);
        assertThat(CommandOutput.of(richer, "doubt", "resend", "--all").exit()).isZero();
        assertThat(richer.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(10);
        assertThat(richer.lines("outbox/x~2.jsonl")).hasSize(5);
        assertThat(all(richer.lines("outbox/x~2.jsonl"), "/charged")).containsOnly("new", "unknown");
    }

    @Test
    void held_calls_can_be_given_up_all_at_once() throws IOException {
        TestHome home = home("budget.calls=1");
        home.drop("x.jsonl", Evidence.batch(3));
        home.runUntilIdle();
        Path file = folder.resolve("safe.db");
        backup(home, file);
        restore(home, file);
        home.runUntilIdle();

        assertThat(CommandOutput.of(home, "doubt", "accept-loss", "--all").exit())
                .isZero();

        home.runUntilIdle();
        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.lines("outbox/x.errors.jsonl")).hasSize(2);
    }
}
