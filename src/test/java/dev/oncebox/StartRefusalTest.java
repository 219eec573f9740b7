package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What must be mended before a start is said with its place and a way out, by {@code run} and {@code check} alike.
 * Nothing is taken from the inbox and nothing is sent.
 */
class StartRefusalTest extends StubbedHome {

    private static final String ROUTE = """
            - route:
                id: extra
                description: "an integrator's own"
                from:
                  uri: direct
                  parameters:
                    name: extra
                  steps:
            """;

    @Test
    void a_good_home_is_checked_without_taking_or_sending_anything() {
        TestHome home = home();
        home.drop("waiting.md", "not yet");

        CommandOutput check = CommandOutput.of(home, "check");

        assertThat(check.exit()).as(check.err()).isZero();
        assertThat(check.out()).contains("well", folder.toString());
        assertThat(home.files("inbox")).containsExactly("waiting.md");
        assertThat(stub.count()).isZero();
    }

    @Test
    void a_folder_of_routes_without_any_is_no_integration() throws IOException {
        TestHome home = home();
        Files.createDirectories(home.path("routes"));
        home.write("routes/files.yaml", "- route: {}");

        refused(home, home.path("routes") + "", ".camel.yaml", "Copy the routes/ of the distribution");
    }

    @Test
    void a_page_that_no_route_would_answer_is_refused() throws IOException {
        TestHome home = home("http.port=0");
        copyRoutes(home);
        Files.delete(home.path("routes/operate/status.camel.yaml"));
        refused(home, "operate/status.camel.yaml", "routes/operate of the distribution", "http.port=off");
    }

    @Test
    void a_port_that_is_taken_is_refused_before_anything_is_sent() {
        TestHome taken = home("http.port=" + stub.port());
        CommandOutput run = CommandOutput.of(taken, "run", "--until-idle");
        assertThat(run.exit()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains("127.0.0.1:" + stub.port(), "Set http.port to another port");
        assertThat(stub.count()).isZero();
    }

    @Test
    void routes_that_no_error_handling_covers_are_refused() {
        TestHome home = home();
        copyRoutes(home);
        String onFailure = home.read("routes/on-failure.camel.yaml");
        home.write(
                "routes/on-failure.camel.yaml",
                onFailure.replace("- routeConfiguration:\n", "- routeConfiguration:\n    id: on-failure\n"));

        refused(home, "has no error handling", "routeConfiguration without an id");
    }

    @Test
    void a_misspelt_name_of_an_error_handling_is_refused() {
        TestHome home = home();
        copyRoutes(home);
        home.write(
                "routes/extra.camel.yaml",
                ROUTE.replace("    id: extra\n", "    id: extra\n    routeConfigurationId: on-failur\n")
                        + "        - to:\n            uri: ledger:settle\n");

        refused(home, "extra", "no routeConfiguration \"on-failur\"", "Correct");
    }

    @ParameterizedTest
    @CsvSource({"recursive: true, recursiv: true", "delay:, delayy:", "filter:, filtr:"})
    void a_misspelt_option_of_the_inbox_is_refused(String right, String wrong) {
        TestHome home = home();
        copyRoutes(home);
        String inbox = home.read("routes/1-inbox/files.camel.yaml");
        assertThat(inbox).contains(right);
        home.write("routes/1-inbox/files.camel.yaml", inbox.replace(right, wrong));

        refused(home, wrong.substring(0, wrong.indexOf(':')), "inbox-files");
    }

    @Test
    void a_misspelt_option_of_an_http_endpoint_is_refused_as_it_would_go_to_the_server_in_silence() {
        TestHome home = home();
        copyRoutes(home);
        home.write("routes/extra.camel.yaml", ROUTE + """
                        - to:
                            uri: http
                            parameters:
                              httpUri: "127.0.0.1/told"
                              conectTimeout: 5000
                        """.indent(8));

        refused(home, "conectTimeout", "/told", "Correct");
    }

    @Test
    void a_misspelt_role_or_option_of_the_ledger_is_refused() {
        TestHome home = home();
        copyRoutes(home);
        home.write("routes/extra.camel.yaml", ROUTE + "        - to:\n            uri: ledger:setle\n");
        refused(home, "ledger:setle", "settle");

        home.write("routes/extra.camel.yaml", ROUTE + "        - to:\n            uri: ledger:settle?fast=true\n");
        refused(home, "fast", "extra");
    }

    @Test
    void broken_yaml_is_named_with_its_line() {
        TestHome home = home();
        copyRoutes(home);
        home.write("routes/extra.camel.yaml", ROUTE + "        - to:\n            uri: \"direct:a\n");
        refused(home, "extra.camel.yaml:", "YAML");

        home.write("routes/extra.camel.yaml", ROUTE.replace("    description", "   description"));
        refused(home, "extra.camel.yaml:3", "YAML");

        home.write("routes/extra.camel.yaml", ROUTE.replace("    description: ", "    id: ") + "        - stop: {}\n");
        refused(home, "extra.camel.yaml:3", "id");
    }

    @Test
    void an_unknown_pattern_or_property_is_named_with_its_line() {
        TestHome home = home();
        copyRoutes(home);
        home.write("routes/extra.camel.yaml", ROUTE + "        - splitt:\n            streaming: true\n");
        refused(home, "extra.camel.yaml:9", "splitt");

        home.write("routes/extra.camel.yaml", ROUTE + "        - to:\n            url: direct:intake\n");
        refused(home, "extra.camel.yaml:10", "url");

        home.write("routes/extra.camel.yaml", ROUTE.replace("description", "descripton") + "        - stop: {}\n");
        refused(home, "extra.camel.yaml:", "descripton");
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.dir=inbox",
        "outbox.dir=./outbox/../inbox/",
        "outbox.dir=inbox/answers",
        "inbox.dir=outbox/questions",
        "outbox.dir=archive/out",
        "inbox.dir=data",
        "inbox.dir=rejected/again",
        "outbox.dir=.",
    })
    void folders_within_one_another_would_feed_answers_back_in_as_questions(String property) {
        refused(home(property), "lies in", "inbox.dir", "outbox.dir", folder.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%20b", "a?b=c", "a{{b}}", "a${b}"})
    void an_inbox_whose_path_camel_would_misread_is_refused(String name) {
        refused(home("inbox.dir=" + name), name, "misread", "inbox.dir");
    }

    @Test
    void a_link_does_not_hide_that_two_folders_are_one() throws IOException {
        TestHome home = home("outbox.dir=answers/today");
        Files.createDirectories(home.path("inbox/today"));
        Files.createSymbolicLink(home.path("answers"), home.path("inbox"));

        refused(home, "lies in", "outbox.dir");
    }

    @Test
    void folders_on_two_file_systems_are_refused() throws IOException {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory));
        FileStore there = Files.getFileStore(memory);
        assumeTrue(!there.equals(Files.getFileStore(folder)));
        Path outbox = Files.createTempDirectory(memory, "oncebox");
        try {
            refused(home("outbox.dir=" + outbox), "different file systems", outbox.toString(), "Put them on one");
        } finally {
            Files.delete(outbox);
        }
    }

    @Test
    void a_network_is_no_place_for_the_ledger_and_memory_is_none_either() {
        refused(home("ledger.url=jdbc:sqlite::memory:"), "application.properties:7", "ledger.url", "jdbc:sqlite:FILE");
        refused(home("ledger.url=jdbc:postgresql://db"), "application.properties:7", "jdbc:postgresql://HOST");
    }

    @Test
    void a_template_that_cannot_be_read_is_named() {
        TestHome home = home();
        home.write("config/jobs/tags/prompt.md", "Tag this:\n{{#each}}{{text}}");

        refused(home, "config/jobs/tags/prompt.md", "each");
    }

    @Test
    void a_schema_that_is_none_is_named_with_its_place() {
        TestHome home = home();
        home.write("config/jobs/tags/answer.schema.json", "{\"type\": \"object\",\n \"properties\": }");
        refused(home, "config/jobs/tags/answer.schema.json:2", "JSON");

        home.write("config/jobs/tags/answer.schema.json", "{\"type\": \"objekt\"}");
        refused(home, "config/jobs/tags/answer.schema.json", "/type");

        home.write("config/jobs/tags/answer.schema.json", "[]");
        refused(home, "config/jobs/tags/answer.schema.json", "object");
    }

    @Test
    void file_names_that_this_locale_cannot_read_are_no_reason_to_lose_files() throws Exception {
        TestHome home = home();
        home.drop("übung.md", "never asked");
        var builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Doncebox.dist=" + System.getProperty("oncebox.dist"),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.oncebox.Oncebox",
                "run",
                "--until-idle",
                "--home",
                folder.toString());
        builder.environment().put("LC_ALL", "C");
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isEqualTo(2);
        assertThat(said).contains("locale", "bin/oncebox", "LC_ALL=C.UTF-8").doesNotContain("\tat ");
        assertThat(home.files("inbox")).containsExactly("übung.md");
        assertThat(stub.count()).isZero();
    }
}
