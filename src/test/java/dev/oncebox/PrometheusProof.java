package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples for monitoring, by a real Prometheus, Debian's, that looks at a runtime. It is unpacked and not installed,
 * as that would start a service. Grafana is no package of Debian's; each query of its dashboard is asked here.
 */
class PrometheusProof {

    private static final Path EXAMPLES =
            Path.of(System.getProperty("oncebox.dist")).resolve("examples/monitoring");
    private static final Path PROGRAMS = EXAMPLES.resolve("../../../prometheus").normalize();
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern PAGE = Pattern.compile("The page is at (http://\\S+)/");
    private static final Pattern LISTENING = Pattern.compile("msg=\"Listening on\" address=(\\S+)");

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    @Test
    void a_real_one_takes_the_metrics_the_alerts_and_every_query_of_the_dashboard() throws Exception {
        unpack();
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            var home = new TestHome(
                    folder.resolve("home"),
                    stub,
                    "http.port=0",
                    "engine.default.price.input=1",
                    "engine.default.price.output=1");
            home.drop("x.jsonl", "\"one\"\n\"one \"\n\"two\"\n");
            try (Launched runtime = Launched.quickly(home, "", "run")) {
                await().atMost(PATIENCE).until(() -> home.exists("outbox/x.jsonl"));
                URI page = URI.create(said(PAGE, home.root().resolve("run.log")));
                isWellNamed(get(page.resolve("/observe/metrics")));
                isUnderstood(EXAMPLES.resolve("alerts.yml"));
                Process prometheus = start(page.getAuthority());
                try {
                    looks(home, URI.create("http://" + said(LISTENING, folder.resolve("prometheus.log"))));
                } finally {
                    prometheus.destroy();
                    assertThat(prometheus.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                }
                runtime.signal("TERM");
                assertThat(runtime.exit()).isZero();
            }
        }
    }

    private void looks(TestHome home, URI prometheus) throws IOException {
        List<String> queries = new ArrayList<>();
        JsonNode dashboard = TestHome.parse(Files.readString(EXAMPLES.resolve("grafana-dashboard.json")));
        dashboard.findValuesAsText("expr").forEach(query -> queries.add(query.replace("$instance", ".*")));
        assertThat(queries).hasSizeGreaterThan(15);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(queries)
                .allSatisfy(query -> assertThat(asked(prometheus, query)).isNotEmpty()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ask(prometheus, "rules").findValues("health"))
                        .hasSize(alerts())
                        .allSatisfy(health -> assertThat(health.asText()).isEqualTo("ok")));
        String open = "ALERTS{alertname=\"OnceboxEngineOpen\",alertstate=\"firing\",engine=\"default\"}";
        assertThat(asked(prometheus, open)).isEmpty();

        home.drop("refused.md", "[[stub: 401 always]] Who are you?");

        await().atMost(PATIENCE).until(() -> !asked(prometheus, open).isEmpty());
    }

    /** Of the metrics that are ours nothing is to be said, and the others can be read. */
    private void isWellNamed(String metrics) throws IOException {
        Path scrape = Files.writeString(folder.resolve("metrics"), metrics);
        ShellCommand.Result checked = ShellCommand.of(
                        "sh", "-c", "\"$1\" check metrics < \"$2\"", "check", promtool(), scrape.toString())
                .run();
        assertThat(checked.exit()).as(checked.err()).isIn(0, 3);
        assertThat(checked.err()).doesNotContainPattern("(?m)^(oncebox|disk)_");
        assertThat(metrics).contains("\noncebox_sends_total ");
    }

    private static void isUnderstood(Path rules) {
        ShellCommand.Result checked =
                ShellCommand.of(promtool(), "check", "rules", rules.toString()).run();
        assertThat(checked.exit()).as(checked.err()).isZero();
    }

    private static int alerts() throws IOException {
        return (int) Files.readAllLines(EXAMPLES.resolve("alerts.yml")).stream()
                .filter(line -> line.strip().startsWith("- alert:"))
                .count();
    }

    /** It looks each second, and an alert is one at once: the waiting is Prometheus's own. */
    private Process start(String target) throws IOException {
        String alerts = Files.readString(EXAMPLES.resolve("alerts.yml"));
        Files.writeString(folder.resolve("alerts.yml"), alerts.replaceAll("(?m)^ +for: .*\n", ""));
        Files.writeString(
                folder.resolve("prometheus.yml"),
                "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\n"
                        + scrapes().replace("127.0.0.1:8080", target));
        return new ProcessBuilder(
                        PROGRAMS.resolve("usr/bin/prometheus").toString(),
                        "--config.file=" + folder.resolve("prometheus.yml"),
                        "--storage.tsdb.path=" + folder.resolve("tsdb"),
                        "--web.listen-address=127.0.0.1:0")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
    }

    /** As the README has it. */
    private static String scrapes() throws IOException {
        Matcher block =
                Pattern.compile("(?ms)^```yaml\n(scrape_configs:.*?)^```$").matcher(Files.readString(Readme.FILE));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    private static String said(Pattern pattern, Path log) {
        var found = new String[1];
        await().atMost(PATIENCE).until(() -> {
            Matcher matcher = pattern.matcher(Files.readString(log));
            found[0] = matcher.find() ? matcher.group(1) : null;
            return found[0] != null;
        });
        return found[0];
    }

    private JsonNode asked(URI prometheus, String query) {
        return ask(prometheus, "query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                .path("result");
    }

    private JsonNode ask(URI prometheus, String question) {
        JsonNode reply = TestHome.parse(get(prometheus.resolve("/api/v1/" + question)));
        assertThat(reply.path("status").asText()).as("%s: %s", question, reply).isEqualTo("success");
        return reply.path("data");
    }

    private String get(URI address) {
        try {
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String promtool() {
        return PROGRAMS.resolve("usr/bin/promtool").toString();
    }

    /** 19 MB, once. */
    private static void unpack() throws IOException {
        if (!Files.isExecutable(Path.of(promtool()))) {
            Files.createDirectories(PROGRAMS);
            ShellCommand.script(
                            "apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }"
                                    + " && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb")
                    .in(PROGRAMS)
                    .run();
        }
        Npm.need(
                Files.isExecutable(Path.of(promtool())),
                "Left out: Debian's package prometheus could not be fetched and unpacked");
    }
}
