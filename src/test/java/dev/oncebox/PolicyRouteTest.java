package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Message Filter: what a job lets pass by its policies is delivered, and it is never silent about it. */
class PolicyRouteTest extends StubbedHome {

    private static String raw(String content, String usage) {
        return "[[stub: raw always]] {\"choices\":[{\"message\":{\"content\":" + content + "}}],\"usage\":" + usage
                + "}";
    }

    private static JsonNode complete(TestHome home, String file) {
        return home.journal(file).stream()
                .filter(event -> event.path("event").asText().equals("COMPLETE"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void what_is_taken_off_is_told_and_the_reply_stays_as_it_came() {
        TestHome home = home();
        home.write("config/jobs/tags/job.properties", "answer=json\nunwrap=think,fence\n");
        home.drop("tags/a.md", raw("\"<think>Hm.</think>\\n```json\\n{\\\"a\\\":1}\\n```\"", "{}"));
        home.drop("tags/b.md", raw("\"Here: {\\\"a\\\":1}\"", "{}"));

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.read("outbox/tags/a.md.json")).isEqualTo("{\"a\":1}\n");
        assertThat(complete(home, "tags/a.md").path("detail").asText())
                .isEqualTo("unwrapped: Taken off around the answer: think,fence.");
        assertThat(home.json("outbox/tags/b.md.error.json").at("/error/message").asText())
                .contains("inside other text; unwrap=think,fence,text would accept it");
        assertThat(stub.count()).as("the other is asked within its attempts").isEqualTo(1 + 3);
        assertThat(number(home, "SELECT count(*) FROM reply WHERE instr(body, '<think>Hm.</think>') > 0"))
                .isEqualTo(1);
    }

    @Test
    void a_prompt_that_the_engine_cut_is_flagged_or_its_answer_rejected() {
        TestHome home = home();
        home.write("config/jobs/careful/job.properties", "on-prompt-cut=reject\n");
        String long1 = raw("\"one\"", "{\"prompt_tokens\":20,\"pad\":\"" + "fox ".repeat(900) + "\"}");
        String long2 = long1.replace("one", "<think></think>two");
        home.drop("a.md", long1);
        home.drop("careful/b.md", long2);

        assertThat(home.runUntilIdle()).isEqualTo(4);

        assertThat(home.read("outbox/a.md")).isEqualTo("one");
        assertThat(complete(home, "a.md").path("detail").asText())
                .startsWith("prompt_cut: The engine says it read 20 tokens of a prompt that has at least 45");
        JsonNode error = home.json("outbox/careful/b.md.error.json");
        assertThat(error.at("/error/code").asText()).isEqualTo("prompt_cut");
        assertThat(error.at("/error/message").asText()).contains("on-prompt-cut=accept");
        assertThat(stub.count()).as("asking again would buy the same").isEqualTo(2);
    }

    @Test
    void a_refusal_in_words_is_delivered_where_the_job_accepts_it_and_counted_in_the_receipt() {
        TestHome home = home();
        home.write("config/jobs/bold/job.properties", "on-refusal=accept\nunwrap=think\n");
        home.drop("bold/x.jsonl", """
                "[[stub: refusal]] no"
                "[[stub: finish=content_filter]] half"
                "[[stub: echo]]<think>ends not"
                "good"
                """);

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> lines = home.lines("outbox/bold/x.jsonl");
        assertThat(lines.get(0).path("answer").asText()).isEqualTo("I'm sorry, I can't help with that.");
        assertThat(lines.get(1).path("answer").asText()).contains("half");
        assertThat(lines.get(2).path("answer").asText()).contains("<think>ends not");
        assertThat(home.json("outbox/bold/x.jsonl.receipt.json").path("notes").toString())
                .isEqualTo("{\"refused_by_model\":2}");
    }

    @Test
    void policies_are_no_part_of_what_is_asked() {
        TestHome home = home();
        home.write(
                "config/jobs/bold/job.properties",
                "on-refusal=accept\nunwrap=think\non-prompt-cut=reject\non-length=accept\nempty-answer=accept\n");
        home.drop("a.md", "the same");
        home.drop("bold/b.md", "the same");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).containsExactly("a.md", "bold/b.md");
        assertThat(stub.count()).isEqualTo(1);
    }
}
