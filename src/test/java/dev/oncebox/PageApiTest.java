package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page asks for and does, by what the endpoint counts. */
class PageApiTest extends StubbedHome {

    private static final String HOSTILE = "<img src=x onerror=alert(1)>";

    private PageHome started(String... more) {
        TestHome home = home(Stream.of(PageHome.PROPERTIES, PATIENT, more)
                .flatMap(Stream::of)
                .toArray(String[]::new));
        home.drop(
                "x.jsonl",
                "{\"id\":\"" + HOSTILE + "\",\"text\":\"[[stub: reset]] secret words\"}\n"
                        + "{\"text\":\"[[stub: 400]] secret words\"}\n{\"text\":\"three\"}\n{\"text\":\"three \"}\n");
        return PageHome.start(home);
    }

    private static JsonNode calls(PageHome page) {
        return page.get("/api/status").at("/status/calls");
    }

    private static void untilEnded(PageHome page) {
        await().until(() -> {
            JsonNode calls = calls(page);
            return calls.path("done").asInt()
                            + calls.path("doubt").asInt()
                            + calls.path("dead").asInt()
                    == 3;
        });
    }

    @Test
    void a_doubt_is_sent_again_and_a_dead_letter_retried_once_each_and_only_with_the_token() {
        try (PageHome page = started("engine.default.on-doubt=hold")) {
            untilEnded(page);
            assertThat(stub.count()).isEqualTo(3);
            JsonNode doubt = page.get("/api/doubts").path(0);
            JsonNode dead = page.get("/api/dead").path(0);
            String resend = "/api/calls/" + doubt.path("key").asText() + "/resend";
            String retry = "/api/calls/" + dead.path("key").asText() + "/retry";

            assertThat(page.post(resend, null).statusCode()).isEqualTo(401);
            assertThat(page.post(resend, "another-token-of-somebody").statusCode())
                    .isEqualTo(401);
            assertThat(page.post(retry, null).statusCode()).isEqualTo(401);
            assertThat(calls(page).path("doubt").asInt()).isEqualTo(1);

            assertThat(page.post(resend, PageHome.TOKEN).statusCode()).isEqualTo(200);
            assertThat(page.post(resend, PageHome.TOKEN).statusCode()).isEqualTo(409);
            assertThat(page.post(retry, PageHome.TOKEN).statusCode()).isEqualTo(200);
            await().until(() -> calls(page).path("done").asInt() == 3);
            assertThat(stub.count()).isEqualTo(5);
        }
    }

    @Test
    void all_that_wait_are_decided_about_at_once_only_with_the_token_and_when_they_are_as_many_as_were_seen() {
        TestHome home = home(Stream.of(PageHome.PROPERTIES, PATIENT, new String[] {"engine.default.on-doubt=hold"})
                .flatMap(Stream::of)
                .toArray(String[]::new));
        home.drop(
                "x.jsonl",
                "\"[[stub: reset]] 1\"\n\"[[stub: reset]] 2\"\n\"[[stub: reset always]] 3\"\n"
                        + "\"[[stub: 400]] 4\"\n\"[[stub: 400 always]] 5\"\n");
        try (PageHome page = PageHome.start(home)) {
            await().until(() -> calls(page).path("doubt").asInt() == 3
                    && calls(page).path("dead").asInt() == 2);
            assertThat(stub.count()).isEqualTo(5);
            assertThat(page.get("/api/all/resend").path("calls").asInt()).isEqualTo(3);
            assertThat(page.get("/api/all/accept-loss").path("calls").asInt()).isEqualTo(3);
            assertThat(page.get("/api/all/retry").path("calls").asInt()).isEqualTo(2);

            assertThat(page.post("/api/all/resend/3", null).statusCode()).isEqualTo(401);
            assertThat(page.post("/api/all/resend/2", PageHome.TOKEN).statusCode())
                    .isEqualTo(409);
            assertThat(page.post("/api/all/resend/many", PageHome.TOKEN).statusCode())
                    .isEqualTo(404);
            assertThat(page.post("/api/all/explode/3", PageHome.TOKEN).statusCode())
                    .isEqualTo(404);
            assertThat(calls(page).path("doubt").asInt()).isEqualTo(3);

            HttpResponse<String> resent = page.post("/api/all/resend/3", PageHome.TOKEN);
            assertThat(resent.statusCode()).isEqualTo(200);
            assertThat(TestHome.parse(resent.body()).path("decided").asInt()).isEqualTo(3);
            await().until(() -> calls(page).path("done").asInt() == 2
                    && calls(page).path("doubt").asInt() == 1);
            assertThat(stub.count()).isEqualTo(8);
            assertThat(page.post("/api/all/resend/3", PageHome.TOKEN).statusCode())
                    .isEqualTo(409);

            assertThat(page.post("/api/all/retry/2", PageHome.TOKEN).statusCode())
                    .isEqualTo(200);
            await().until(() -> calls(page).path("done").asInt() == 3
                    && calls(page).path("dead").asInt() == 1);
            assertThat(page.post("/api/all/accept-loss/1", PageHome.TOKEN).statusCode())
                    .isEqualTo(200);
            await().until(() -> calls(page).path("dead").asInt() == 2);
            assertThat(stub.count()).isEqualTo(10);
        }
    }

    @Test
    void a_loss_is_accepted_and_nothing_sent_nor_for_what_is_no_call_and_no_decision() {
        try (PageHome page = started("engine.default.on-doubt=hold")) {
            untilEnded(page);
            String nobody = "0".repeat(64);
            for (String path : List.of(
                    "/api/calls/" + nobody + "/resend",
                    "/api/calls/" + nobody + "/explode",
                    "/api/calls/0000/retry",
                    "/api/calls/%27%20OR%201=1/retry")) {
                assertThat(page.post(path, PageHome.TOKEN).statusCode())
                        .as(path)
                        .isEqualTo(404);
            }
            assertThat(page.send(page.to("/api/calls/" + nobody + "/journal")).statusCode())
                    .isEqualTo(404);
            assertThat(page.send(page.to("/api/files/9999/receipt")).statusCode())
                    .isEqualTo(404);
            assertThat(page.send(page.to("/api/files/nobody/receipt")).statusCode())
                    .isEqualTo(404);
            String key = page.get("/api/doubts").path(0).path("key").asText();

            assertThat(page.post("/api/calls/" + key + "/retry", PageHome.TOKEN).statusCode())
                    .as("a doubt is no dead letter")
                    .isEqualTo(409);
            assertThat(page.post("/api/calls/" + key + "/accept-loss", PageHome.TOKEN)
                            .statusCode())
                    .isEqualTo(200);

            await().until(() ->
                    page.get("/api/files").path(0).path("state").asText().equals("DELIVERED"));
            assertThat(stub.count()).isEqualTo(3);
        }
    }

    @Test
    void everything_on_it_works_on_a_ledger_of_postgresql_as_well() {
        try (PageHome page = started(
                "engine.default.on-doubt=hold", "ledger.url=" + Database.make().url())) {
            untilEnded(page);
            JsonNode file = page.get("/api/files").path(0);
            assertThat(file.path("pending").asInt()).isEqualTo(1);
            JsonNode receipt = page.get("/api/files/" + file.path("id") + "/receipt");
            assertThat(receipt.path("answered").asInt()).isEqualTo(2);
            assertThat(receipt.path("sends").asInt()).isEqualTo(3);
            assertThat(page.get("/api/files/" + file.path("id") + "/failures")).hasSize(1);
            assertThat(page.send(page.to("/api/files/9999/receipt")).statusCode())
                    .isEqualTo(404);
            assertThat(page.send(page.to("/api/files/nobody/receipt")).statusCode())
                    .isEqualTo(404);
            assertThat(page.send(page.to("/api/files/nobody/failures")).statusCode())
                    .isEqualTo(200);
            JsonNode doubt = page.get("/api/doubts").path(0);
            assertThat(doubt.path("item").asText()).isEqualTo("\"" + HOSTILE + "\"");
            assertThat(page.get("/api/calls/" + doubt.path("key").asText() + "/journal"))
                    .hasSize(3);
            assertThat(page.get("/api/throughput").has("at")).isTrue();
            assertThat(page.send(page.to("/observe/health")).statusCode()).isEqualTo(200);
            assertThat(page.send(page.to("/observe/metrics")).body()).contains("oncebox_calls{state=\"doubt\"} 1.0");

            String resend = "/api/calls/" + doubt.path("key").asText() + "/resend";
            assertThat(page.post(resend, PageHome.TOKEN).statusCode()).isEqualTo(200);
            assertThat(page.get("/api/all/retry").path("calls").asInt()).isEqualTo(1);
            assertThat(page.post("/api/all/retry/1", PageHome.TOKEN).statusCode())
                    .isEqualTo(200);
            await().until(() -> calls(page).path("done").asInt() == 3);
            assertThat(stub.count()).isEqualTo(5);
        }
    }

    @Test
    void files_receipts_failures_and_journals_say_what_the_commands_say_and_no_prompt() {
        try (PageHome page = started("engine.default.on-doubt=hold")) {
            untilEnded(page);
            JsonNode file = page.get("/api/files").path(0);
            assertThat(file.path("path").asText()).isEqualTo("x.jsonl");
            assertThat(file.path("items").asInt()).isEqualTo(4);
            assertThat(file.path("pending").asInt()).isEqualTo(1);
            JsonNode receipt = page.get("/api/files/" + file.path("id") + "/receipt");
            assertThat(receipt.path("answered").asInt()).isEqualTo(2);
            assertThat(receipt.path("failed").asInt()).isEqualTo(1);
            assertThat(receipt.path("fresh").asInt()).isEqualTo(1);
            assertThat(receipt.path("reused").asInt()).isEqualTo(1);
            assertThat(receipt.path("variants").asInt()).isEqualTo(1);
            assertThat(receipt.path("unpriced").asInt()).as("no price is set").isEqualTo(2);
            assertThat(page.get("/api/files/" + file.path("id") + "/failures")
                            .path(0)
                            .path("line")
                            .asInt())
                    .isEqualTo(2);

            JsonNode doubt = page.get("/api/doubts").path(0);
            assertThat(doubt.path("item").asText()).isEqualTo("\"" + HOSTILE + "\"");
            JsonNode journal = page.get("/api/calls/" + doubt.path("key").asText() + "/journal");
            assertThat(all(List.of(journal.path(0), journal.path(1), journal.path(2)), "/event"))
                    .containsExactly("ATTEMPT", "SENT", "IN_DOUBT");

            HttpResponse<String> metrics = page.send(page.to("/observe/metrics"));
            assertThat(page.get("/api/status").path("saved").isNull())
                    .as("unknown is never 0")
                    .isTrue();
            assertThat(metrics.body()).contains("oncebox_cost_total NaN").doesNotContain("secret words", "x.jsonl");
            assertThat(page.get("/api/doubts").toString() + page.get("/api/dead") + journal)
                    .doesNotContain("secret words");
        }
    }
}
