package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many calls in flight, failing and coming back out of turn: no answer may land under another's id. */
class CrossedAnswersTest extends StubbedHome {

    private static final int ITEMS = 1000;
    private static final long SEED = 20_261_130;

    @Test
    void each_of_a_thousand_answers_is_under_its_own_id_once_and_in_input_order() {
        var random = new Random(SEED);
        List<String> texts = IntStream.rangeClosed(1, ITEMS)
                .mapToObj(n -> RandomTroubles.text(n, random, List.of(), 1))
                .toList();
        var batch = new StringBuilder();
        for (int n = 1; n <= ITEMS; n++) {
            batch.append(RandomTroubles.item(n, texts.get(n - 1)));
        }
        TestHome home = home("engine.default.concurrency=64", "retry.max-delay=50ms");
        home.write("config/jobs/default/job.properties", "attempts=100");
        home.drop("x.jsonl", batch.toString());

        assertThat(home.runUntilIdle()).isZero();

        List<JsonNode> answers = home.lines("outbox/x.jsonl");
        assertThat(all(answers, "/id"))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, ITEMS).mapToObj(n -> "i" + n).toList());
        assertThat(all(answers, "/answer")).containsExactlyElementsOf(texts);
        assertThat(all(answers, "/key")).doesNotHaveDuplicates();
        assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
        assertEveryPostHadItsOwnKey(answers, texts);
        assertThat(number(
                        home,
                        "SELECT count(*) FROM event WHERE detail LIKE 'unsettled%' OR detail LIKE 'internal_error%'"))
                .as("every failure was judged by what was seen of it")
                .isZero();
    }

    private void assertEveryPostHadItsOwnKey(List<JsonNode> answers, List<String> texts) {
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < ITEMS; i++) {
            keys.put(texts.get(i), answers.get(i).path("key").asText());
        }
        List<String> prompts = prompts();
        List<String> sent = new ArrayList<>();
        stub.calls().forEach(call -> sent.add(call.key()));
        assertThat(sent).hasSizeGreaterThan(ITEMS * 5 / 4);
        assertThat(sent)
                .containsExactlyElementsOf(prompts.stream().map(keys::get).toList());
        assertThat(prompts.stream().distinct().toList())
                .as("they came out of turn, or this would prove little")
                .hasSize(ITEMS)
                .isNotEqualTo(texts);
    }
}
