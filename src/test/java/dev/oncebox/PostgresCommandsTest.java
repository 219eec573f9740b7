package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.intake.RequestKey;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.sql.SqlLedger;
import dev.oncebox.ledger.sql.Surroundings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every command on a ledger in PostgreSQL, and what a start says where it cannot be used. */
class PostgresCommandsTest extends StubbedHome {

    @Test
    void every_command_works_as_on_a_file() throws Exception {
        var database = Database.make();
        TestHome home = home("ledger.url=" + database.url());
        home.drop(
                "x.jsonl",
                "{\"id\":\"a\",\"text\":\"A\"}\n{\"id\":\"b\",\"text\":\"B\"}\n{\"id\":\"c\",\"text\":\"A \"}\n");

        assertThat(CommandOutput.of(home, "check").out())
                .contains("All is well", "jdbc:postgresql://", database.name());
        assertThat(home.runUntilIdle()).isZero();
        assertThat(all(home.lines("outbox/x.jsonl"), "/id")).containsExactly("a", "b", "c");
        assertThat(stub.count()).isEqualTo(2);

        JsonNode status = tree(CommandOutput.of(home, "status", "--json").out());
        assertThat(status.at("/calls/done").asLong()).isEqualTo(2);
        assertThat(status.at("/items/answered").asLong()).isEqualTo(3);
        assertThat(CommandOutput.of(home, "status").exit()).isZero();
        assertThat(CommandOutput.of(home, "journal", "x.jsonl").out()).contains("SENT", "COMPLETE", "CACHE_HIT");
        assertThat(CommandOutput.of(home, "answers", "x.jsonl").out().lines()).hasSize(3);
        assertThat(CommandOutput.of(home, "doubt", "list").exit()).isZero();
        assertThat(CommandOutput.of(home, "dead", "list").exit()).isZero();

        Path more = Files.writeString(folder.resolve("more.jsonl"), "{\"text\":\"A\"}\n{\"text\":\"C\"}\n");
        JsonNode plan =
                tree(CommandOutput.of(home, "plan", "--json", more.toString()).out());
        assertThat(plan.at("/total/calls/new").asLong()).isEqualTo(1);
        assertThat(plan.at("/total/calls/answered").asLong()).isEqualTo(1);
        CommandOutput ask = CommandOutput.of(home, "ask", more.toString());
        assertThat(ask.exit()).as(ask.err()).isZero();
        assertThat(stub.count()).isEqualTo(3);

        assertThat(CommandOutput.of(home, "purge", "--older-than", "0s").out()).contains("the bodies of 3 calls");
        CommandOutput backup =
                CommandOutput.of(home, "backup", folder.resolve("copy").toString());
        assertThat(backup.exit()).isEqualTo(2);
        assertThat(backup.err()).contains("pg_dump");
        home.drop("again.jsonl", "{\"text\":\"B\"}\n");
        assertThat(home.runUntilIdle()).as("a purged answer is a dead letter").isEqualTo(4);
        assertThat(stub.count()).isEqualTo(3);
        assertThat(home.files("data")).isEmpty();
    }

    @Test
    void an_ask_beside_a_runtime_is_a_node_for_its_file_and_nothing_is_paid_twice() throws Exception {
        var database = Database.make();
        TestHome home = home("ledger.url=" + database.url());
        Path question = Files.writeString(folder.resolve("q.md"), "Which?");
        try (Working running = new Working(home)) {
            for (int i = 0; i < 2; i++) {
                CommandOutput ask = CommandOutput.of(home, "ask", question.toString());
                assertThat(ask.exit()).as(ask.err()).isZero();
            }
            JsonNode status = tree(CommandOutput.of(home, "status", "--json").out());
            assertThat(status.at("/nodes")).as("who asked has left").hasSize(1);
        }
        assertThat(home.read("outbox/default/q.md")).endsWith("Which?");
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void an_ask_leaves_a_file_to_the_node_that_is_reading_it() {
        var database = Database.make();
        TestHome home = home("ledger.url=" + database.url());
        assertThat(CommandOutput.of(home, "check").exit()).isZero();
        home.drop("q.md", "Which?");
        String file = home.path("inbox/q.md").toString();
        var around = new Surroundings(
                (job, engine) -> {
                    throw new IllegalStateException("it settles nothing");
                },
                RequestKey.VERSION,
                Clock.systemUTC(),
                new Random(1),
                loss -> {});
        try (Ledger other = SqlLedger.open(new LedgerUrl.PostgresDatabase(database.url()), around)) {
            assertThat(other.reserve("q.md")).isTrue();
            assertThat(CommandOutput.of(home, "ask", "--wait", "0s", file).exit())
                    .isEqualTo(3);
            assertThat(stub.count()).isZero();
            other.release("q.md");
            CommandOutput ask = CommandOutput.of(home, "ask", file);
            assertThat(ask.exit()).as(ask.err()).isZero();
        }
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void a_server_that_cannot_be_used_is_named_without_its_secrets() {
        var database = Database.make();
        String url = "ledger.url=jdbc:postgresql://localhost:";
        String secret = "?user=postgres&password=hidden-in-here";
        refused(
                home(url + "1/x" + secret),
                "jdbc:postgresql://localhost:1/x cannot be opened",
                "refused",
                "server runs");
        refused(home(url + Database.port() + "/nowhere" + secret), "\"nowhere\" does not exist", "createdb");
        refused(home("ledger.url=jdbc:postgresql://me:hidden-in-here@db/x"), "application.properties:7", "?user=");
        refused(home("ledger.url=jdbc:mysql://db/x" + secret), "jdbc:postgresql://HOST", "jdbc:sqlite:FILE");
        database.run("CREATE TABLE other (n INTEGER)");
        refused(home("ledger.url=" + database.url()), database.name(), "no ledger of Oncebox");
        var latin = Database.make("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        refused(home("ledger.url=" + latin.url()), "its encoding is LATIN1", "--encoding=UTF8");
        var standing = Database.make();
        standing.run("ALTER DATABASE " + standing.name() + " SET default_transaction_read_only = on");
        refused(home("ledger.url=" + standing.url()), "can only be read");
    }

    @Test
    void a_user_without_rights_and_a_newer_ledger_are_told_apart() {
        var database = Database.make();
        database.run("CREATE ROLE guest" + database.name() + " LOGIN");
        String guest = database.url().replace("user=postgres", "user=guest" + database.name());
        refused(home("ledger.url=" + guest), "permission denied", "GRANT CREATE");
        TestHome home = home("ledger.url=" + database.url());
        assertThat(CommandOutput.of(home, "check").exit()).isZero();
        database.run("INSERT INTO flyway_schema_history (installed_rank, version, description, type, script,"
                + " installed_by, execution_time, success) VALUES (99, '99', 'later', 'SQL', 'V99', 'x', 1, true)");
        refused(home, "newer version");
    }
}
