package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A ledger moves from its file into a database, and nothing that was paid is paid again. */
class MigrateLedgerTest extends StubbedHome {

    private static final String ITEMS =
            "{\"text\":\"A\"}\n{\"text\":\"B\"}\n{\"text\":\"A \"}\nnonsense\n{\"text\":\"C [[stub: 400 always]]\"}\n";

    private final Database database = Database.make();
    private TestHome home;
    private JsonNode before;

    @BeforeEach
    void fill() {
        home = home();
        home.drop("x.jsonl", ITEMS);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        before = status();
    }

    private JsonNode status() {
        return tree(CommandOutput.of(home, "status", "--json").out());
    }

    private CommandOutput migrate() {
        return CommandOutput.of(home, "migrate-ledger", "jdbc:sqlite:data/ledger.db", database.url());
    }

    private void takeBack() throws IOException {
        for (String part : new String[] {"-wal", "-shm", ""}) {
            if (home.exists("data/ledger.db.moved" + part)) {
                Files.move(home.path("data/ledger.db.moved" + part), home.path("data/ledger.db" + part));
            }
        }
    }

    private void useTheDatabase() {
        home.write(
                "config/application.properties",
                home.read("config/application.properties") + "\nledger.url=" + database.url());
    }

    @Test
    void it_is_the_same_ledger_afterwards_and_the_file_is_put_aside() {
        long paid = stub.count();
        CommandOutput moved = migrate();
        assertThat(moved.exit()).as(moved.err()).isZero();
        assertThat(moved.out()).contains("call      3 rows", "Compared and equal: 11 tables", "ledger.db.moved");
        assertThat(home.files("data")).contains("ledger.db.moved").doesNotContain("ledger.db");

        useTheDatabase();
        for (String part : new String[] {"files", "items", "calls", "sent", "new", "reused", "cost"}) {
            assertThat(status().path(part)).as(part).isEqualTo(before.path(part));
        }
        home.drop("y.jsonl", "{\"text\":\"B\"}\n{\"text\":\"D\"}\n");
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(stub.count()).isEqualTo(paid + 1);
        assertThat(all(home.lines("outbox/y.jsonl"), "/charged")).containsExactly("reused", "new");
    }

    @Test
    void one_that_was_interrupted_is_no_ledger_yet_and_goes_on_where_it_was() throws Exception {
        Path file = home.path("data/ledger.db");
        assertThat(migrate().exit()).isZero();
        takeBack();
        database.run(
                "DELETE FROM event; DELETE FROM source; DELETE FROM item WHERE n > 2; CREATE TABLE moving AS SELECT '"
                        + file + "' AS source");

        CommandOutput goingOn = migrate();
        assertThat(goingOn.exit()).as(goingOn.err()).isZero();
        takeBack();
        database.run("UPDATE call SET sends = sends + 1 WHERE id = 1; CREATE TABLE moving AS SELECT '" + file
                + "' AS source");
        CommandOutput different = migrate();
        assertThat(different.exit()).isEqualTo(1);
        assertThat(different.err()).contains("The copy differs (call");
        assertThat(Files.exists(file)).isTrue();
        useTheDatabase();
        CommandOutput run = CommandOutput.of(home, "run", "--until-idle");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("not whole yet", "migrate-ledger");
        database.run("DROP TABLE moving");
        CommandOutput used = migrate();
        assertThat(used.exit()).isEqualTo(2);
        assertThat(used.err()).contains("was used already");
    }
}
