package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Call;
import dev.oncebox.stub.Stub;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What became of a row of the failure table: by the endpoint's own log first, then by the journal and the outbox. */
final class FailureEvidence {

    private static final Set<String> NOT_OF_A_CALL = Set.of("DELIVERED", "CACHE_HIT");

    private final TestHome home;
    private final Map<String, List<Call>> posts;

    FailureEvidence(TestHome home, Stub stub) {
        this.home = home;
        this.posts = stub.calls().stream()
                .collect(Collectors.groupingBy(call ->
                        StubbedHome.tree(call.text()).at("/messages/0/content").asText()));
    }

    /** How many POSTs there were for prompts of no row. */
    long strangers(List<FailureRow> rows) {
        Set<String> prompts = rows.stream().map(FailureRow::prompt).collect(Collectors.toSet());
        return posts.keySet().stream()
                .filter(prompt -> !prompts.contains(prompt))
                .count();
    }

    private List<Call> posts(FailureRow row) {
        return posts.getOrDefault(row.prompt(), List.of());
    }

    /** How many POSTs came for a row, by engine. */
    Map<String, Long> engines(FailureRow row) {
        return posts(row).stream().collect(Collectors.groupingBy(FailureEvidence::engine, Collectors.counting()));
    }

    private static String engine(Call call) {
        return call.path().split("/")[1];
    }

    void check(FailureRow row) {
        checkPosts(row);
        List<JsonNode> journal = home.journal(row.file()).stream()
                .filter(event -> !NOT_OF_A_CALL.contains(event.path("event").asText()))
                .toList();
        String key = journal.get(0).path("key").asText();
        assertThat(posts(row)).as("the call's own key on every POST").allMatch(call -> key.equals(call.key()));
        assertThat(journal)
                .as("one call")
                .allMatch(event -> key.equals(event.path("key").asText()));
        checkJournal(row, journal);
        checkEnd(row, key);
    }

    private void checkPosts(FailureRow row) {
        Map<String, Long> counted = engines(row);
        long first = counted.getOrDefault(row.job(), 0L);
        long spare = counted.getOrDefault(row.job() + "-spare", 0L);
        assertThat(posts(row)).as("nobody else was sent it").hasSize((int) (first + spare));
        if (row.posts().endsWith("..")) {
            assertThat(first).isGreaterThanOrEqualTo(Long.parseLong(row.posts().replace("..", "")));
            assertThat(spare).isZero();
        } else {
            assertThat(first + (row.isUnder("spare") ? "+" + spare : ""))
                    .as("POSTs")
                    .isEqualTo(row.posts());
        }
        List<Duration> waits = row.waits();
        for (int i = 1; i < posts(row).size(); i++) {
            Duration wait = i <= waits.size() ? waits.get(i - 1) : Duration.ZERO;
            assertThat(Duration.between(
                            posts(row).get(i - 1).at(), posts(row).get(i).at()))
                    .isGreaterThanOrEqualTo(wait);
        }
    }

    private void checkJournal(FailureRow row, List<JsonNode> journal) {
        String told = journal.stream()
                .map(event -> event.path("event").asText()
                        + (event.path("charged").isTextual()
                                ? "/" + event.path("charged").asText()
                                : "")
                        + " ")
                .collect(Collectors.joining());
        assertThat(told).matches(row.events());
        List<String> sent = journal.stream()
                .filter(event -> event.path("event").asText().equals("SENT"))
                .map(event -> event.path("engine").asText())
                .filter(engine -> !row.story().get(0).startsWith("unsent") || engine.endsWith("-spare"))
                .toList();
        assertThat(posts(row))
                .as("each SENT is a POST at the engine it names")
                .extracting(FailureEvidence::engine)
                .containsExactlyElementsOf(sent);
    }

    private void checkEnd(FailureRow row, String key) {
        String[] end = row.end().split(" ");
        if (end[0].equals("in") || end[0].equals("waiting")) {
            assertThat(home.exists("outbox/" + row.job())).as("no end").isFalse();
            String state = end[0].equals("in") ? "DOUBT" : "READY";
            assertThat(StubbedHome.number(
                            home,
                            "SELECT count(*) FROM call WHERE lower(hex(key)) = '" + key + "' AND state = '" + state
                                    + "'"))
                    .isEqualTo(1);
            return;
        }
        boolean dead = end[0].equals("dead");
        List<JsonNode> lines = home.lines("outbox/" + row.job() + (dead ? "/x.errors.jsonl" : "/x.jsonl"));
        assertThat(lines).hasSize(row.isUnder("twice") ? 2 : 1);
        assertThat(lines).extracting(line -> line.path("key").asText()).containsOnly(key);
        assertThat(lines.get(0).path("id").asText()).isEqualTo(row.name());
        checkReceipt(row, dead);
        if (dead) {
            assertThat(lines.get(0).at("/error/code").asText()).isEqualTo(end[1]);
            assertThat(lines.get(0).at("/error/message").asText()).isNotBlank();
            assertThat(home.read("outbox/" + row.job() + "/x.jsonl")).isEmpty();
            return;
        }
        assertThat(home.exists("outbox/" + row.job() + "/x.errors.jsonl")).isFalse();
        assertThat(lines).extracting(line -> line.path("charged").asText()).containsExactly(end);
        Call last = posts(row).get(posts(row).size() - 1);
        assertThat(lines).allSatisfy(line -> {
            checkAnswer(row, line.path("answer"), last.number());
            assertThat(line.path("engine").asText()).isEqualTo(engine(last));
        });
    }

    /** What was perhaps paid without an answer, or twice, is in the receipt as well. */
    private void checkReceipt(FailureRow row, boolean dead) {
        JsonNode receipt = home.json("outbox/" + row.job() + "/x.jsonl.receipt.json");
        boolean doubtful = row.isDoubtful();
        assertThat(receipt.at("/calls/inDoubt").asInt()).isEqualTo(doubtful ? 1 : 0);
        assertThat(receipt.path("cost").isNull())
                .as("nobody said a price")
                .isEqualTo(!dead || doubtful || row.isPaid());
        assertThat(receipt.path("answered").asInt() + receipt.path("failed").asInt())
                .isEqualTo(row.isUnder("twice") ? 2 : 1);
        assertThat(receipt.path("failed").asInt()).isEqualTo(dead ? 1 : 0);
    }

    /** The answer is the last POST's: it says which call it was. */
    private void checkAnswer(FailureRow row, JsonNode answer, long call) {
        String last = posts(row).size() > row.steps().size()
                ? ""
                : row.steps().get(posts(row).size() - 1);
        int said = last.indexOf("say=");
        String usual = "[call " + call + "] " + row.name();
        if (said >= 0) {
            String text = URLDecoder.decode(last.substring(said + 4).split(" ")[0], StandardCharsets.UTF_8);
            assertThat(answer.isTextual() ? answer.asText() : answer.toString()).isEqualTo(text);
        } else if (row.isUnder("schema")) {
            assertThat(answer.path("call").asLong()).isEqualTo(call);
            assertThat(answer.path("summary").asText()).isEqualTo(row.name());
        } else if (row.isUnder("on-length=accept")) {
            assertThat(answer.asText()).isEqualTo(usual.substring(0, usual.length() / 2));
        } else {
            assertThat(answer.asText()).isEqualTo(usual);
        }
    }
}
