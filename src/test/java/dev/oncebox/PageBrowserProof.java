package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, beside a runtime at work. Its pictures are left in {@code target/page}. */
class PageBrowserProof {

    private static final String CHROMIUM = "/usr/bin/chromium";
    /** Drives a browser and brings none. */
    private static final String DRIVER = "playwright-core@1.57.0";

    private static final String SCRIPT = "page-browser.mjs";
    private static final int ITEMS = 1000;
    private static final Pattern ADDRESS = Pattern.compile("The page is at (http://\\S+)/");

    @TempDir
    private Path folder;

    @Test
    void a_person_sees_the_work_go_on_and_decides_what_waits() throws IOException {
        install();
        try (Stub stub = Stub.start(Stub.Options.defaults().withDelay(Duration.ofMillis(60)))) {
            var home = new TestHome(
                    folder.resolve("home"),
                    stub,
                    "http.port=0",
                    "http.token=" + PageHome.TOKEN,
                    "engine.default.on-doubt=hold",
                    "engine.default.concurrency=4",
                    "engine.default.price.input=0.15",
                    "engine.default.price.output=0.60");
            home.drop("abstracts.jsonl", batch());
            try (Launched runtime = Launched.quickly(home, "", "run")) {
                Path pictures = Files.createDirectories(
                        Path.of(System.getProperty("oncebox.dist")).resolveSibling("page"));
                await().until(() ->
                        home.exists("run.log") && home.read("run.log").contains("in doubt"));
                ShellCommand.Result result = ShellCommand.of(
                                "node", SCRIPT, address(home), PageHome.TOKEN, pictures.toString())
                        .in(folder)
                        .run();
                assertThat(result.exit()).as(result.out() + result.err()).isZero();
                check(result.out());
                await().until(() -> home.exists("outbox/abstracts.jsonl"));
                assertThat(stub.count())
                        .as(
                                "every item once, and once more each: the doubts that were resent, one and all of the others,"
                                        + " the dead letters retried, the same")
                        .isEqualTo(ITEMS + 6);
                runtime.signal("TERM");
                assertThat(runtime.exit()).isZero();
            }
        }
    }

    private static void check(String out) {
        Map<String, JsonNode> steps = out.lines()
                .map(TestHome::parse)
                .collect(Collectors.toMap(line -> line.path("step").asText(), line -> line));
        assertThat(steps.get("progress").path("first").asInt()).isLessThan(ITEMS);
        assertThat(steps.get("hostile").path("item").asText())
                .isEqualTo("\"<img src=x onerror=alert(1)>\\u202e<script>alert(2)</script>\"");
        assertThat(steps.get("hostile").path("images").asInt()).isZero();
        assertThat(steps.get("attempts").path("events").toString()).startsWith("[\"ATTEMPT\",\"SENT\",\"IN_DOUBT\"");
        assertThat(steps.get("receipt").path("text").asText()).contains("1,000", "pending");
        assertThat(steps.get("refused").path("error").asText()).contains("token");
        assertThat(steps.get("resend").path("asked").asText()).contains("may be paid twice", "It may cost about");
        assertThat(steps.get("retry").path("asked").asText()).contains("sent again", "It may cost about");
        assertThat(steps.get("resendall").path("asked").asText())
                .contains("2 calls in doubt", "each may be paid twice");
        assertThat(steps.get("retryall").path("asked").asText()).contains("2 calls that failed for good");
        for (String picture : List.of("desktop-light", "desktop-dark", "phone", "decided")) {
            assertThat(steps.get(picture).path("troubles").size())
                    .as("%s", steps.get(picture))
                    .isZero();
            assertThat(steps.get(picture).path("wide").asBoolean())
                    .as("%s goes over the edge", picture)
                    .isFalse();
        }
    }

    private static String batch() {
        return Stream.iterate(0, i -> i + 1)
                .limit(ITEMS)
                .map(i -> switch (i) {
                    case 2 ->
                        "{\"id\":\"<img src=x onerror=alert(1)>\\u202e<script>alert(2)</script>\","
                                + "\"text\":\"[[stub: reset]] <img src=x onerror=alert(3)>\"}\n";
                    case 3, 4 -> "{\"id\":" + i + ",\"text\":\"[[stub: reset]] a lost one, " + i + "\"}\n";
                    case 5, 6, 7 -> "{\"id\":" + i + ",\"text\":\"[[stub: 400]] a bad one, " + i + "\"}\n";
                    default -> "{\"id\":" + i + ",\"text\":\"Summarise abstract " + i + ".\"}\n";
                })
                .collect(Collectors.joining());
    }

    private static String address(TestHome home) {
        Matcher address = ADDRESS.matcher(home.read("run.log"));
        assertThat(address.find()).isTrue();
        return address.group(1);
    }

    private void install() throws IOException {
        Npm.debian("test -x " + CHROMIUM, "chromium");
        Files.writeString(folder.resolve("package.json"), "{\"private\":true,\"type\":\"module\"}");
        Npm.install(folder, DRIVER);
        try (InputStream script = PageBrowserProof.class.getResourceAsStream("/" + SCRIPT)) {
            Files.write(folder.resolve(SCRIPT), script.readAllBytes());
        }
    }
}
