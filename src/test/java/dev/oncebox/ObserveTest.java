package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Health and metrics, and the examples that watch them. */
class ObserveTest extends StubbedHome {

    private static final Path EXAMPLES = Path.of("src/main/dist/examples/monitoring");
    private static final Pattern METRIC = Pattern.compile("\\b(oncebox|camel|jvm|disk)_[a-z_]+");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(\\{[^\\n]*})? (\\S+)$");

    @Test
    void what_is_counted_is_scraped_and_every_example_asks_for_something_that_there_is() throws IOException {
        TestHome home = home(Stream.of(PageHome.PROPERTIES, PATIENT, new String[] {
                    "engine.default.price.input=1", "engine.default.price.output=1"
                })
                .flatMap(Stream::of)
                .toArray(String[]::new));
        home.drop("x.jsonl", "{\"text\":\"one\"}\n{\"text\":\"one \"}\n{\"text\":\"[[stub: 400]] two\"}\n");
        try (PageHome page = PageHome.start(home)) {
            await().until(() -> home.exists("outbox/x.jsonl"));
            await().until(() ->
                    page.get("/api/status").at("/status/files/delivered").asInt() == 1);
            String scrape = page.send(page.to("/observe/metrics")).body();

            assertThat(scrape)
                    .contains("oncebox_items{state=\"answered\"} 2.0", "oncebox_items{state=\"failed\"} 1.0")
                    .contains("oncebox_calls{state=\"dead\"} 1.0", "oncebox_sends_total 2.0")
                    .contains("oncebox_answers_total{charged=\"new\"} 1.0")
                    .contains("oncebox_answers_total{charged=\"reused\"} 1.0")
                    .contains("oncebox_outcomes_total{engine=\"default\",outcome=\"valid\"} 1.0")
                    .contains("oncebox_outcomes_total{engine=\"default\",outcome=\"request\"} 1.0")
                    .contains("oncebox_call_duration_seconds_count{engine=\"default\"} 2")
                    .contains("oncebox_breaker{engine=\"default\",state=\"closed\"} 1.0")
                    .contains("oncebox_queue_age_seconds 0.0", "routeId=\"dispatch\"")
                    .doesNotContain("oncebox_cost_total NaN");
            assertThat(scrape.split("\noncebox_cost_total ")[1]
                            .lines()
                            .findFirst()
                            .map(Double::parseDouble))
                    .hasValueSatisfying(cost -> assertThat(cost).isPositive());
            Set<String> known =
                    SAMPLE.matcher(scrape).results().map(each -> each.group(1)).collect(Collectors.toSet());
            assertThat(known).containsAll(metrics(expressions(EXAMPLES.resolve("alerts.yml"))));
            assertThat(known).containsAll(metrics(expressions(EXAMPLES.resolve("grafana-dashboard.json"))));
        }
    }

    private static List<String> expressions(Path file) throws IOException {
        Object tree = new Load(
                        LoadSettings.builder().setAllowDuplicateKeys(false).build())
                .loadFromString(Files.readString(file));
        List<String> found = new ArrayList<>();
        collect(tree, found);
        assertThat(found).as("%s", file).hasSizeGreaterThan(5);
        return found;
    }

    private static void collect(Object tree, List<String> found) {
        if (tree instanceof Map<?, ?> map) {
            map.forEach((name, value) -> {
                if (name.equals("expr") || name.equals("query")) {
                    found.add(String.valueOf(value));
                }
                collect(value, found);
            });
        } else if (tree instanceof List<?> list) {
            list.forEach(each -> collect(each, found));
        }
    }

    private static Set<String> metrics(List<String> expressions) {
        Set<String> names = new TreeSet<>();
        for (String expression : expressions) {
            for (Matcher metric = METRIC.matcher(expression); metric.find(); ) {
                names.add(metric.group());
            }
        }
        return names;
    }

    @Test
    void health_names_what_is_wrong_and_why() throws IOException {
        TestHome home = patientHome(
                Stream.concat(Stream.of(PageHome.PROPERTIES), Stream.of("engine.other.url=" + stub.uri("/v1")))
                        .toArray(String[]::new));
        try (PageHome page = PageHome.start(home)) {
            assertThat(reason(page.get("/observe/health"), "ledger")).isEqualTo("It can be read.");
            assertThat(page.get("/observe/health/live").path("status").asText()).isEqualTo("UP");

            home.drop("refused.md", "[[stub: 401]]");
            await().until(() -> reason(page.get("/observe/health"), "engines").contains("default is left in peace"));
            assertThat(page.get("/observe/health").path("status").asText())
                    .as("another engine can be asked")
                    .isEqualTo("UP");

            Files.delete(home.path("outbox"));
            HttpResponse<String> sick = page.send(page.to("/observe/health"));
            assertThat(sick.statusCode()).isEqualTo(503);
            assertThat(reason(TestHome.parse(sick.body()), "folders")).contains("the outbox", "Check their rights");
            assertThat(page.send(page.to("/observe/health/live")).statusCode())
                    .as("a new start would not mend that")
                    .isEqualTo(200);
        }
    }

    private static String reason(JsonNode health, String check) {
        for (JsonNode each : health.path("checks")) {
            if (each.path("name").asText().equals(check)) {
                return each.path("reason").asText();
            }
        }
        throw new AssertionError(check + " is missing: " + health);
    }
}
