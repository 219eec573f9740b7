package dev.oncebox;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Random;

/** Prompts whose endpoint fails one time in three, in random ways, and which it answers by repeating them. */
final class RandomTroubles {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Ends of an attempt after which another may follow; those that are no status come more often. */
    static final List<String> REPEATED = List.of(
            "408",
            "425",
            "429",
            "503",
            "529",
            "500",
            "502",
            "504",
            "409",
            "reset",
            "reset",
            "close",
            "close",
            "reset-mid",
            "cut",
            "cut",
            "html",
            "notjson",
            "nobody",
            "nochoices",
            "error200",
            "finish=error",
            "503 header=retry-after-ms:20",
            "500 header=x-should-retry:true");

    /** Ends after which no attempt follows, at this engine at least. */
    static final List<String> FINAL = List.of(
            "400", "422", "404 model_not_found", "400 context_length_exceeded", "finish=length", "refusal", "empty");

    private RandomTroubles() {}

    /** A batch line with the id {@code i<n>}. */
    static String item(int n, String text) {
        return JSON.createObjectNode().put("id", "i" + n).put("text", text) + "\n";
    }

    /**
     * A text that differs from all others.
     *
     * @param rare what happens instead of a repeated trouble one time in {@code seldom}
     */
    static String text(int n, Random random, List<String> rare, int seldom) {
        var directive = new StringBuilder("[[stub: ");
        while (random.nextInt(3) == 0) {
            List<String> ways = !rare.isEmpty() && random.nextInt(seldom) == 0 ? rare : REPEATED;
            directive
                    .append("delay=")
                    .append(random.nextInt(8))
                    .append("ms ")
                    .append(ways.get(random.nextInt(ways.size())))
                    .append("; ");
        }
        return directive + "delay=" + random.nextInt(8) + "ms echo always]] Question " + n + ".";
    }
}
