package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** What {@code oncebox plan} prints, and what it refuses. */
class PlanOutputTest extends StubbedHome {

    private static final String[] PRICED = {
        "engine.default.model=gpt-4o-mini", "engine.default.price.input=2", "engine.default.price.output=10"
    };

    private static CommandOutput plan(TestHome home, String... words) {
        String[] line = new String[words.length + 1];
        line[0] = "plan";
        System.arraycopy(words, 0, line, 1, words.length);
        return CommandOutput.of(home, line);
    }

    private static JsonNode estimate(TestHome home) {
        CommandOutput planned = plan(home, "--json", home.path("x.jsonl").toString());
        assertThat(planned.exit()).as(planned.err()).isZero();
        return tree(planned.out()).at("/total/estimate");
    }

    @Test
    void a_page_for_people_says_everything_once() {
        TestHome home = home(PRICED);
        home.write("config/jobs/default/job.properties", "max-tokens=100");
        home.write("x.jsonl", "{\"text\":\"Hello, world!\"}\n{\"text\":\"Hello, \\nworld!\"}\n\n[1]\n");

        CommandOutput planned = plan(home, home.path("x.jsonl").toString());

        assertThat(planned.exit()).as(planned.err()).isZero();
        assertThat(planned.out()).isEqualToNormalizingNewlines("""
                %s (job default, engine default, model gpt-4o-mini)
                  invalid    line 4, byte 53: bad_item: This is an array; an item is an object with text or messages, or a string.
                  items      3: 1 invalid, 1 with the call of an earlier one of the file, 1 that differ from another only in white space
                  calls      1: 1 new
                  to be sent 1
                  tokens     about 11 in (counted as o200k_base), about 100 out (after max-tokens of job default), at most 100
                  price      about 0.001022, at most 0.001022
                """.formatted(home.path("x.jsonl")));
        assertThat(stub.count()).isZero();
        assertThat(home.files(""))
                .containsExactly("config/application.properties", "config/jobs/default/job.properties", "x.jsonl");
    }

    @Test
    void what_is_unknown_is_said_to_be_unknown() {
        TestHome home = home("engine.default.price.input=2");
        home.write("x.jsonl", "{\"text\":\"twelve chars\"}\n");

        JsonNode estimate = estimate(home);

        assertThat(estimate.path("inputTokens").asInt()).isEqualTo(3 + 4 + 3);
        assertThat(estimate.path("inputBy").toString()).isEqualTo("[\"characters/4\"]");
        assertThat(estimate.path("inputPrice").decimalValue()).isEqualByComparingTo("0.00002");
        for (String unknown :
                new String[] {"outputTokens", "outputTokensAtMost", "outputPrice", "price", "priceAtMost"}) {
            assertThat(estimate.path(unknown).isNull()).as(unknown).isTrue();
        }
        assertThat(plan(home, home.path("x.jsonl").toString()).out())
                .contains("price      unknown, of which input about 0.00002");
    }

    @Test
    void the_length_of_answers_is_taken_from_those_that_the_job_had() {
        TestHome home = home(PRICED);
        home.drop("first.md", "How many bees?");
        home.runUntilIdle();
        long tokens = number(home, "SELECT output_tokens FROM call");
        home.write("x.jsonl", "{\"text\":\"one\"}\n{\"text\":\"two\"}\n");

        JsonNode estimate = estimate(home);

        assertThat(estimate.path("outputTokens").asLong()).isEqualTo(2 * tokens);
        assertThat(estimate.path("outputBy").toString()).contains("the last 1 answers of job default");
    }

    @Test
    void an_answer_of_anthropics_has_a_limit_even_where_the_job_has_none() {
        TestHome home = home("engine.default.protocol=anthropic", "engine.default.model=claude-sonnet-4-5");
        home.write("x.jsonl", "{\"text\":\"one\"}\n");

        JsonNode estimate = estimate(home);

        assertThat(estimate.path("outputTokensAtMost").asInt()).isEqualTo(4096);
        assertThat(estimate.path("price").isNull()).isTrue();
    }

    @Test
    void a_batch_costs_its_part_of_the_price() {
        TestHome home = home(
                "engine.default.protocol=openai-batch",
                "engine.default.model=gpt-4o",
                "engine.default.price.input=1000000",
                "engine.default.price.output=0");
        home.write("config/jobs/default/job.properties", "max-tokens=5");
        home.write("x.jsonl", "{\"text\":\"Hello\"}\n");

        JsonNode estimate = estimate(home);

        assertThat(estimate.path("price").asInt())
                .isEqualTo(estimate.path("inputTokens").asInt() / 2);
    }

    @Test
    void a_picture_has_no_number_of_tokens() {
        TestHome home = home(PRICED);
        home.write(
                "x.jsonl",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}]}]}\n");

        assertThat(estimate(home).path("inputTokens").isNull()).isTrue();
    }

    @Test
    void a_file_of_which_nothing_can_be_read_is_told_with_its_reason() {
        TestHome home = home();
        home.write("empty.jsonl", "\n");

        CommandOutput planned = plan(home, "--json", home.path("empty.jsonl").toString());

        assertThat(planned.exit()).isZero();
        assertThat(tree(planned.out()).at("/files/0/rejected/code").asText()).isEqualTo("no_items");
    }

    @Test
    void missing_files_unknown_jobs_and_unknown_properties_are_wrong_usage() {
        TestHome home = home();
        home.write("x.jsonl", "{\"text\":\"one\"}\n");
        String file = home.path("x.jsonl").toString();

        assertThat(plan(home).exit()).isEqualTo(2);
        assertThat(plan(home, home.path("gone.md").toString()).exit()).isEqualTo(2);
        assertThat(plan(home, "--job", "none", file).err()).contains("There is no job \"none\"");
        home.write("config/jobs/default/job.properties", "attemps=1");
        CommandOutput misspelt = plan(home, file);
        assertThat(misspelt.exit()).isEqualTo(2);
        assertThat(misspelt.err()).contains("attemps", "attempts");
    }

    @Test
    void a_plan_is_made_while_a_worker_writes_to_the_ledger() throws SQLException {
        TestHome home = home();
        home.drop("a.md", "one");
        home.runUntilIdle();
        home.write("x.jsonl", "{\"text\":\"one\"}\n{\"id\":\"\\ud800\",\"text\":7}\n");

        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                var worker = connection.createStatement()) {
            worker.execute("BEGIN IMMEDIATE");
            worker.execute("UPDATE call SET state = 'READY'");
            CommandOutput planned = plan(home, "--json", home.path("x.jsonl").toString());
            worker.execute("ROLLBACK");

            assertThat(planned.exit()).as(planned.err()).isZero();
            assertThat(tree(planned.out()).at("/total/calls/answered").asInt()).isEqualTo(1);
            assertThat(tree(planned.out()).at("/total/invalid").asInt()).isEqualTo(1);
        }
    }

    @Test
    void a_ledger_of_a_newer_version_is_refused() {
        TestHome home = home();
        home.write("x.jsonl", "{\"text\":\"one\"}\n");
        home.drop("a.md", "one");
        home.runUntilIdle();
        execute(
                home,
                "INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, installed_on, execution_time, success) VALUES (99, '99', 'future', 'SQL',"
                        + " 'V99__future.sql', 1, '', '2030-01-01 00:00:00.000', 1, 1)");

        for (CommandOutput refused :
                new CommandOutput[] {plan(home, home.path("x.jsonl").toString()), CommandOutput.of(home, "status")}) {
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("newer version");
        }
    }
}
