package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messaging Gateway: a source as an integrator writes one, out of the template. */
class SourceRouteTest extends StubbedHome {

    /** Files of a folder of the integrator's own, which stay there until they are taken. */
    private static final String SOURCE = """
            - templatedRoute:
                routeTemplateRef: inbox
                routeId: inbox-spool
                parameters:
                  - name: enabled
                    value: "{{spool.dir}}"
                  - name: source
                    value: "file:{{spool.dir}}?delete=true&delay=20&initialDelay=0&readLock=rename"
                  - name: job
                    value: "JOB"
                  - name: name
                    value: "NAME"
            """;

    private TestHome spool(String job, String name) {
        TestHome home = home("spool.dir=" + folder.resolve("spool"));
        copyRoutes(home);
        home.write("routes/1-inbox/spool.camel.yaml", SOURCE.replace("JOB", job).replace("NAME", name));
        return home;
    }

    private static void gone(TestHome home, String file) {
        assertThat(home.exists(file)).as(file).isFalse();
    }

    @Test
    void what_a_source_hands_over_is_answered_as_a_file_of_its_job() throws Exception {
        TestHome home = spool("default", "spool/${header.CamelFileName}");
        try (var working = new Working(home)) {
            home.write("spool/a.jsonl", "{\"id\":\"x\",\"text\":\"one\"}\n\"two\"\n");

            working.until(() ->
                    assertThat(home.exists("outbox/default/spool/a.jsonl")).isTrue());
            working.until(() -> gone(home, "spool/a.jsonl"));
        }
        assertThat(prompts()).containsExactlyInAnyOrder("one", "two");
        assertThat(home.files("archive")).containsExactly("default/spool/a.jsonl");
        assertThat(home.files("inbox")).isEmpty();
        List<JsonNode> answers = home.lines("outbox/default/spool/a.jsonl");
        assertThat(all(answers, "/id")).containsExactly("x", "2");
    }

    @Test
    void the_same_again_is_not_taken_again_and_other_content_of_the_same_name_is() throws Exception {
        TestHome home = spool("default", "${header.CamelFileName}");
        try (var working = new Working(home)) {
            home.write("spool/a.md", "one");
            working.until(() -> assertThat(home.exists("outbox/default/a.md")).isTrue());
            working.until(() -> gone(home, "spool/a.md"));
            home.write("spool/a.md", "one");
            working.until(() -> gone(home, "spool/a.md"));
            home.write("spool/a.md", "two");
            working.until(() -> assertThat(home.exists("outbox/default/a~2.md")).isTrue());
            working.until(() -> gone(home, "spool/a.md"));
        }
        assertThat(prompts()).containsExactly("one", "two");
        assertThat(home.files("archive")).containsExactly("default/a.md", "default/a~2.md");
        assertThat(number(home, "SELECT count(*) FROM file")).isEqualTo(2);
        assertThat(number(home, "SELECT count(*) FROM event WHERE kind = 'DELIVERED'"))
                .isEqualTo(2);
    }

    @Test
    void a_name_that_is_an_ending_is_completed_with_a_digest_of_the_content() throws Exception {
        TestHome home = spool("default", ".md");
        try (var working = new Working(home)) {
            home.write("spool/a.anything", "one");
            working.until(() -> gone(home, "spool/a.anything"));
            home.write("spool/b.anything", "one");
            working.until(() -> gone(home, "spool/b.anything"));
        }
        assertThat(home.files("archive")).singleElement().asString().matches("default/[0-9a-f]{64}\\.md");
        assertThat(number(home, "SELECT count(*) FROM file")).isEqualTo(1);
    }

    @Test
    void a_name_leads_nowhere_but_below_the_folder_of_the_job() throws Exception {
        TestHome home = spool("../../out", "/../.././${body.class}\\n/..//~x/$name.md");
        try (var working = new Working(home)) {
            home.write("spool/a.md", "one");
            working.until(() -> gone(home, "spool/a.md"));
        }
        assertThat(home.files("rejected")).hasSize(2).allMatch(file -> file.matches("_._.._out/[^/]*/.*"));
        assertThat(home.files("")).noneMatch(file -> file.startsWith("out/"));
    }

    @Test
    void what_cannot_be_read_is_rejected_and_the_source_is_rid_of_it() throws Exception {
        TestHome home = spool("nobodys", "${header.CamelFileName}");
        try (var working = new Working(home)) {
            home.write("spool/a.md", "one");
            working.until(() -> gone(home, "spool/a.md"));
        }
        assertThat(home.read("rejected/nobodys/a.md.error.json")).contains("unknown_job");
        assertThat(home.read("rejected/nobodys/a.md")).isEqualTo("one");
        assertThat(stub.count()).isZero();
    }

    @Test
    void a_source_keeps_what_could_not_be_taken_in_until_it_can() throws Exception {
        TestHome home = spool("default", "${header.CamelFileName}");
        home.write("inbox/default/a.md", "another of that name, which lies there");
        home.write("archive/default", "a file where a folder should be");
        try (var working = new Working(home)) {
            home.write("spool/b.md", "one");
            working.until(() -> assertThat(home.exists("inbox/default/b.md")).isTrue());
            assertThat(home.read("spool/b.md")).isEqualTo("one");

            Files.delete(home.path("archive/default"));
            working.until(() -> gone(home, "spool/b.md"));
            working.until(() -> assertThat(home.exists("outbox/default/b.md")).isTrue());
        }
        assertThat(prompts()).filteredOn("one"::equals).hasSize(1);
    }

    @Test
    void a_source_that_is_not_enabled_is_not_even_made() throws Exception {
        TestHome home = home("spool.dir=");
        copyRoutes(home);
        home.write("routes/1-inbox/spool.camel.yaml", SOURCE.replace("file:", "nobodys-component:"));

        assertThat(home.runUntilIdle()).isZero();
    }
}
