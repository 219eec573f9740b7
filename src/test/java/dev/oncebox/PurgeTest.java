package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** {@code oncebox purge} and what follows, by what the endpoint counts. */
class PurgeTest extends StubbedHome {

    private static String text(int n) {
        // random letters: what is packed well would leave nothing to see
        var random = new Random(n);
        var text = new StringBuilder("Question " + n + ". ");
        random.ints(20_000, 'a', 'z' + 1).forEach(c -> text.append((char) c));
        return text.toString();
    }

    private TestHome delivered() {
        TestHome home = home();
        var lines = new StringBuilder();
        for (int n = 1; n <= 30; n++) {
            lines.append("{\"id\":\"i" + n + "\",\"text\":\"" + text(n) + "\"}\n");
        }
        home.drop("x.jsonl", lines.toString());
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(30);
        return home;
    }

    @Test
    void the_ledger_shrinks_and_the_sums_stay() throws IOException {
        TestHome home = delivered();
        JsonNode before = home.status();
        JsonNode foreseen = tree(CommandOutput.of(home, "purge", "--older-than", "0s", "--dry-run", "--json")
                .out());
        long size = Files.size(home.path("data/ledger.db"));
        assertThat(CommandOutput.of(home, "purge", "--older-than", "1h").out()).contains("0 calls");

        CommandOutput purged = CommandOutput.of(home, "purge", "--older-than", "0s", "--json");

        assertThat(purged.exit()).as(purged.err()).isZero();
        JsonNode said = tree(purged.out());
        assertThat(said.path("calls").asInt())
                .isEqualTo(30)
                .isEqualTo(foreseen.path("calls").asInt());
        assertThat(said.path("bytes")).isEqualTo(foreseen.path("bytes"));
        assertThat(said.at("/ledger/after").asLong())
                .isEqualTo(Files.size(home.path("data/ledger.db")))
                .isLessThan(size / 3);
        assertThat(said.path("remark").isNull()).isTrue();
        assertThat(home.status()).isEqualTo(before);
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(30);
    }

    @Test
    void a_purged_prompt_is_an_error_until_a_person_pays_for_it_again() throws IOException {
        TestHome home = delivered();
        CommandOutput.of(home, "purge", "--older-than", "0s");
        home.drop("y.jsonl", "{\"text\":\"" + text(7) + "\"}\n{\"text\":\"new\"}\n");

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(31);
        assertThat(home.lines("outbox/y.jsonl")).hasSize(1);
        JsonNode error = home.lines("outbox/y.errors.jsonl").get(0);
        String key = error.path("key").asText();
        assertThat(error.at("/error/code").asText()).isEqualTo("answer_purged");
        assertThat(error.at("/error/message").asText()).contains("oncebox dead retry " + key);
        assertThat(home.json("outbox/y.jsonl.receipt.json").path("addsUp").asBoolean())
                .isTrue();
        assertThat(CommandOutput.of(home, "dead", "list").out()).contains(key, "answer_purged");
        CommandOutput all = CommandOutput.of(home, "dead", "retry", "--all");
        assertThat(all.out()).startsWith("1 left").contains("--purged");
        home.runUntilIdle();
        assertThat(stub.count()).as("all means no purged ones").isEqualTo(31);

        assertThat(CommandOutput.of(home, "dead", "retry", key).exit()).isZero();
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(32);
        assertThat(home.lines("outbox/y~2.jsonl")).hasSize(2);
        assertThat(home.exists("outbox/x~2.jsonl")).isFalse();
    }

    @Test
    void the_purged_file_dropped_again_is_errors_and_with_all_purged_ones_it_is_answered_anew() throws IOException {
        TestHome home = delivered();
        CommandOutput.of(home, "purge", "--older-than", "0s");
        Files.delete(home.path("outbox/x.jsonl"));
        Files.delete(home.path("outbox/x.jsonl.receipt.json"));
        assertThat(CommandOutput.of(home, "plan", home.path("archive/x.jsonl").toString(), "--json")
                        .out())
                .contains("\"dead\":30", "\"toSend\":0");
        home.drop("x.jsonl", Files.readAllBytes(home.path("archive/x.jsonl")));

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(stub.count()).isEqualTo(30);
        assertThat(home.lines("outbox/x.errors.jsonl")).hasSize(30);
        assertThat(home.status().at("/items/total").asInt()).isEqualTo(30);
        assertThat(home.status().at("/sent").asInt()).isEqualTo(30);
        assertThat(CommandOutput.of(home, "dead", "retry", "--all", "--purged").exit())
                .isZero();
        assertThat(home.runUntilIdle()).isZero();
        assertThat(stub.count()).isEqualTo(60);
        assertThat(home.files("outbox")).contains("x~2.jsonl");
        assertThat(home.lines("outbox/x~2.jsonl")).hasSize(30);
    }

    @Test
    void an_ask_finds_the_answer_in_the_outbox_and_fails_without_a_send_when_it_is_there_no_more() throws IOException {
        TestHome home = home();
        Files.writeString(folder.resolve("q.md"), "What?");
        String file = folder.resolve("q.md").toString();
        assertThat(CommandOutput.of(home, "ask", file).exit()).isZero();
        CommandOutput.of(home, "purge", "--older-than", "0s");

        assertThat(CommandOutput.of(home, "ask", file).exit()).isZero();
        Files.delete(home.path("outbox/default/q.md"));
        CommandOutput gone = CommandOutput.of(home, "ask", "--json", file);

        assertThat(gone.exit()).isEqualTo(1);
        assertThat(tree(gone.out()).path("code").asText()).isEqualTo("answer_purged");
        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.exists("outbox/default/q.md.error.json")).isTrue();
        assertThat(CommandOutput.of(home, "dead", "retry", "--all", "--purged").exit())
                .isZero();
        assertThat(CommandOutput.of(home, "ask", file).exit()).isZero();
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void without_a_ledger_or_with_a_bad_duration_it_says_so() {
        TestHome home = home();
        CommandOutput none = CommandOutput.of(home, "purge", "--older-than", "30d");
        assertThat(none.exit()).isEqualTo(2);
        assertThat(none.err()).contains("There is no ledger");
        assertThat(home.exists("data")).isFalse();
        assertThat(CommandOutput.of(home, "purge", "--older-than", "0s", "--dry-run")
                        .exit())
                .isEqualTo(2);
        CommandOutput bad = CommandOutput.of(home, "purge", "--older-than", "a month");
        assertThat(bad.exit()).isEqualTo(2);
        assertThat(bad.err()).contains("30d");
    }
}
