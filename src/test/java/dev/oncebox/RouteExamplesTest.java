package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.runtime.RouteConventions;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of routes/README.md, as they stand there. Kafka's run in KafkaProof. */
class RouteExamplesTest extends StubbedHome {

    private static final Pattern EXAMPLE =
            Pattern.compile("`(routes/\\S+\\.camel\\.yaml)`\\s+```yaml\n(.*?)```", Pattern.DOTALL);

    private static Map<String, String> examples() throws IOException {
        Map<String, String> examples = new LinkedHashMap<>();
        Matcher found = EXAMPLE.matcher(Files.readString(Path.of("routes/README.md")));
        while (found.find()) {
            examples.put(found.group(1), found.group(2));
        }
        return examples;
    }

    private TestHome example(String file, String... properties) throws IOException {
        TestHome home = home(properties);
        copyRoutes(home);
        home.write(file, examples().get(file));
        return home;
    }

    @Test
    void the_examples_for_kafka_are_the_files_that_are_delivered() throws IOException {
        for (String file : Set.of("routes/1-inbox/kafka.camel.yaml", "routes/6-outbox/kafka.camel.yaml")) {
            assertThat(Files.readString(Path.of(file)).replaceAll("(?m)^# .*\n", ""))
                    .isEqualTo(examples().get(file));
        }
    }

    @Test
    void the_jars_that_are_fetched_for_kafka_are_of_the_camel_that_is_delivered() throws IOException {
        String build = Files.readString(Path.of("pom.xml"));
        String camel = build.replaceAll("(?s).*<camel.version>([^<]+)<.*", "$1");
        String kafka = build.replaceAll("(?s).*<kafka.version>([^<]+)<.*", "$1");

        assertThat(Files.readString(Path.of("src/main/dist/lib/ext/kafka.pom.xml")))
                .contains("<artifactId>camel-kafka</artifactId>\n      <version>" + camel + "</version>");
        assertThat(Files.readString(Path.of("src/test/kafka/pom.xml")))
                .contains("<artifactId>kafka_2.13</artifactId>\n      <version>" + kafka + "</version>");
    }

    @Test
    void the_examples_keep_to_the_conventions() throws IOException {
        TestHome home = home();
        copyRoutes(home);
        examples().forEach(home::write);

        assertThat(RouteConventions.complaints(
                        home.path("routes"),
                        Set.of(
                                "feed.url",
                                "feed.every",
                                "inbox.dir",
                                "inbox.poll",
                                "inbox.at-once",
                                "inbox.concurrency",
                                "outbox.concurrency",
                                "poll.concurrency",
                                "http.port")))
                .isEmpty();
    }

    @Test
    void questions_that_are_posted_are_in_the_ledger_when_that_is_answered() throws IOException {
        TestHome home = example("routes/1-inbox/rest.camel.yaml", PageHome.PROPERTIES);
        String body = "[{\"id\":\"a\",\"text\":\"one\"},{\"text\":\"two\"}]";
        try (PageHome page = PageHome.start(home)) {
            assertThat(post(page, "default", body, "another").statusCode()).isEqualTo(401);
            HttpResponse<String> first = post(page, "default", body, PageHome.TOKEN);
            assertThat(first.statusCode()).as(first.body()).isEqualTo(202);
            assertThat(number(home, "SELECT count(*) FROM item")).isEqualTo(2);
            HttpResponse<String> again = post(page, "default", body, PageHome.TOKEN);
            assertThat(again.statusCode()).isEqualTo(202);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(tree(first.body()).path("file").asText()).matches("default/[0-9a-f]{64}\\.json");

            HttpResponse<String> broken = post(page, "default", "  \n", PageHome.TOKEN);
            assertThat(broken.statusCode()).isEqualTo(422);
            assertThat(tree(broken.body()).at("/error/code").asText()).isEqualTo("no_items");
            HttpResponse<String> nobodys = post(page, "..%2f..%2fout", body, PageHome.TOKEN);
            assertThat(nobodys.statusCode()).isIn(404, 422);
        }
        assertThat(number(home, "SELECT count(*) FROM file")).isEqualTo(1);
        assertThat(home.runUntilIdle()).isZero();
        assertThat(prompts()).containsExactlyInAnyOrder("one", "two");
    }

    private static HttpResponse<String> post(PageHome page, String job, String body, String token) {
        return page.send(page.to("/jobs/" + job)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    void a_feed_is_fetched_again_and_again_and_each_of_its_questions_paid_once() throws Exception {
        var feed = new AtomicReference<>("{\"id\":\"a\",\"text\":\"one\"}\n");
        try (var listening = new Listening((request, n, exchange) -> Listening.reply(exchange, 200, feed.get()))) {
            TestHome home =
                    example("routes/1-inbox/feed.camel.yaml", "feed.url=" + listening.uri("/feed"), "feed.every=20ms");
            try (var working = new Working(home)) {
                working.until(() -> assertThat(prompts()).containsExactly("one"));
                feed.set(feed.get() + "{\"id\":\"b\",\"text\":\"two\"}\n");
                working.until(() -> assertThat(prompts()).containsExactly("one", "two"));
                int before = listening.polls().size();
                working.until(() -> assertThat(listening.polls()).hasSizeGreaterThan(before + 2));
            }
            assertThat(number(home, "SELECT count(*) FROM file")).isEqualTo(2);
            assertThat(stub.count()).isEqualTo(2);
        }
    }

    @Test
    void a_feed_that_cannot_be_fetched_is_fetched_later() throws Exception {
        try (var listening = new Listening((request, n, exchange) ->
                Listening.reply(exchange, n < 3 ? 500 : 200, n < 3 ? "" : "{'text':'one'}"))) {
            TestHome home =
                    example("routes/1-inbox/feed.camel.yaml", "feed.url=" + listening.uri("/feed"), "feed.every=20ms");
            try (var working = new Working(home)) {
                working.until(() -> assertThat(prompts()).containsExactly("one"));
            }
        }
    }
}
