package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A table's rows are items, and come back to the byte with two columns more. */
class TableFileTest extends StubbedHome {

    private static final String ECHO = "[[stub: raw always]] ";

    private static String reply(String content) {
        return ECHO + "{\"choices\":[{\"message\":{\"content\":\"" + content + "\"},\"finish_reason\":\"stop\"}]}";
    }

    private static String quoted(String cell) {
        return '"' + cell.replace("\"", "\"\"") + '"';
    }

    @Test
    void every_byte_of_a_row_stands_before_its_answer() throws Exception {
        TestHome home = home();
        String first = " 1 ;" + quoted(reply("yes")) + ";\"a \"\"b\"\"\r\n;c\"";
        String second = "2;" + quoted(reply("no; or\\nlater")) + ";";
        home.drop("a.csv", "\uFEFFID;Text;\"note\"\r\n" + first + "\r\n" + second);

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/a.csv"))
                .isEqualTo("\uFEFFID;Text;\"note\";answer;charged\r\n" + first + ";yes;new\r\n" + second
                        + ";\"no; or\nlater\";new");
        assertThat(home.exists("outbox/a.errors.jsonl")).isFalse();
    }

    @Test
    void an_answer_that_a_spreadsheet_would_run_begins_with_an_apostrophe() throws Exception {
        TestHome home = home();
        var table = new StringBuilder("text,=1+1\n");
        for (String answer : List.of("=1", "+1", "-1", "@x", "\\t1", "\\r1", "1=1")) {
            table.append(quoted(reply(answer))).append(",=cmd\n");
        }
        home.drop("a.csv", table.toString());

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/a.csv").replaceAll("\"\\[\\[.*?]}\",", "").replace("\r", "CR"))
                .isEqualTo("text,=1+1,answer,charged\n=cmd,'=1,new\n=cmd,'+1,new\n=cmd,'-1,new\n=cmd,'@x,new\n"
                        + "=cmd,'\t1,new\n=cmd,\"'CR1\",new\n=cmd,1=1,new\n");
    }

    @Test
    void a_row_without_an_answer_stands_among_the_errors_and_the_others_go_on() throws Exception {
        TestHome home = home();
        home.drop(
                "a.csv",
                "id,text,more\n1,one,x\n2,,x\n3,three,x,y\n4,\"four\"4,x\n5,five\n,,\n\n6,\"six\nlines\",x\n7,seven,x");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("outbox/a.csv").replaceAll("(?m),[^,]*,new$", ",!"))
                .isEqualTo("id,text,more,answer,charged\n1,one,x,!\n5,five,,!\n6,\"six\nlines\",x,!\n7,seven,x,!");
        assertThat(home.lines("outbox/a.errors.jsonl"))
                .extracting(error ->
                        error.path("line").asText() + " " + error.path("id").asText() + " "
                                + error.at("/error/code").asText())
                .containsExactly("3 2 no_text", "4 3 ragged_row", "5 5 bad_csv");
    }

    @Test
    void utf_16_and_tabs_come_back_as_they_were() throws Exception {
        TestHome home = home();
        byte[] table = "\uFEFFtext\tgrün\r\nein Wort\t😀\r\n".getBytes(StandardCharsets.UTF_16LE);
        home.drop("a.tsv", table);

        assertThat(home.runUntilIdle()).isZero();

        String back = new String(Files.readAllBytes(home.path("outbox/a.tsv")), StandardCharsets.UTF_16LE);
        assertThat(back)
                .startsWith("\uFEFFtext\tgrün\tanswer\tcharged\r\nein Wort\t😀\t")
                .endsWith("\tnew\r\n");
    }

    @Test
    void without_a_column_named_text_the_prompt_says_what_is_asked() throws Exception {
        TestHome home = home();
        home.write("config/jobs/sums/prompt.md", "What is {{a}} and {{column_2}} and {{a_2}}?");
        home.drop("sums/a.csv", "a,,a\n1,2,3\n");
        home.drop("b.csv", "a,b\n1,2\n");
        home.drop("c.csv", "anything\nonly me\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(prompts()).containsExactlyInAnyOrder("What is 1 and 2 and 3?", "only me");
        assertThat(home.lines("outbox/b.errors.jsonl")
                        .get(0)
                        .at("/error/message")
                        .asText())
                .contains("Name one so", "prompt.md");
        assertThat(home.read("outbox/b.csv")).isEqualTo("a,b,answer,charged\n");
    }

    @Test
    void a_second_drop_is_answered_from_the_ledger_and_says_so() throws Exception {
        TestHome home = home();
        home.drop("a.csv", "text\none\n");
        home.runUntilIdle();
        home.drop("b.csv", "more,text\n1,one\n2,\" one \"\n");
        home.runUntilIdle();

        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.read("outbox/b.csv")).contains("\n1,one,", ",reused\n2,\" one \",");
    }

    /** A million equal names took minutes to tell apart, and nothing else was read meanwhile. */
    @Test
    void a_table_wider_than_any_spreadsheet_is_rejected_at_once() {
        TestHome home = home();
        home.drop("wide.csv", "text" + ",a".repeat(1_000_000) + "\n1\n");
        home.drop("fits.csv", "text" + ",a".repeat(16_383) + "\n\"[[stub: say=yes]] 1\"\n");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.read("rejected/wide.csv.error.json")).contains("too_many_columns", "16384");
        assertThat(home.read("outbox/fits.csv")).contains("yes");
    }
}
