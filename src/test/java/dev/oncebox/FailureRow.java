package dev.oncebox;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A row of {@code failure-table.txt}, which explains its columns.
 *
 * @param number from 1; its engine and its job are named after it
 */
record FailureRow(
        int number, String name, List<String> under, List<String> steps, String posts, List<String> story, String end) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> OF_ENGINE =
            Set.of("on-doubt", "deduplicates", "timeout", "unpaid-statuses", "protocol");
    private static final String SCHEMA = """
            {"type": "object", "required": ["call", "summary"], "additionalProperties": false,
             "properties": {"call": {"type": "integer"}, "summary": {"type": "string"}}}
            """;
    private static final Map<String, String> EVENTS = Map.of(
            "refused", "ATTEMPT SENT REFUSED/no ",
            "unsent", "ATTEMPT SENT REFUSED/no ",
            "doubt", "ATTEMPT SENT IN_DOUBT/unknown ",
            "timeout", "ATTEMPT SENT TIMEOUT/unknown ",
            "partial", "ATTEMPT SENT INCOMPLETE/unknown ",
            "invalid", "ATTEMPT SENT INCOMPLETE/yes ",
            "answer", "ATTEMPT SENT COMPLETE/yes ",
            "fallback", "FALLBACK ",
            "dead", "DEAD_LETTER ");

    static FailureRow of(int number, String[] columns) {
        if (columns.length != 6) {
            throw new IllegalArgumentException("not six columns: " + String.join(" | ", columns));
        }
        return new FailureRow(
                number,
                columns[0],
                List.of(columns[1].split(" ")),
                List.of(columns[2].split("\\s*;\\s*")),
                columns[3],
                List.of(columns[4].split(" ")),
                columns[5]);
    }

    boolean isUnder(String word) {
        return under.contains(word);
    }

    String job() {
        return "row" + number;
    }

    String file() {
        return job() + "/x.jsonl";
    }

    String prompt() {
        return "[[stub: " + String.join("; ", steps) + "]] " + name;
    }

    /** The settings of the row's engines. The engine is in the address, so that the endpoint tells whom it was sent. */
    List<String> engines(String endpoint) {
        String own = isUnder("unknown-host")
                ? "http://nosuchhost.invalid"
                : isUnder("refusing-port")
                        ? "http://127.0.0.1:1"
                        : isUnder("plain-port") ? endpoint.replace("http:", "https:") : endpoint;
        String base = isUnder("protocol=ollama") ? "/api" : "/v1";
        List<String> lines = new ArrayList<>();
        for (String engine : isUnder("spare") ? List.of(job(), job() + "-spare") : List.of(job())) {
            lines.add("engine." + engine + ".url=" + (engine.equals(job()) ? own : endpoint) + "/" + engine + base);
            lines.add("engine." + engine + ".model=test");
            under.stream()
                    .filter(word -> OF_ENGINE.contains(word.replaceFirst("=.*", "")))
                    .forEach(word -> lines.add("engine." + engine + "." + word));
        }
        return lines;
    }

    /** Makes the job and drops its file. */
    void drop(TestHome home) {
        String settings = under.stream()
                .filter(word -> word.contains("=") && !OF_ENGINE.contains(word.replaceFirst("=.*", "")))
                .collect(Collectors.joining("\n"));
        String engines = "engines=" + job() + (isUnder("spare") ? "," + job() + "-spare" : "");
        home.write("config/jobs/" + job() + "/job.properties", engines + "\n" + settings + "\n");
        if (isUnder("schema")) {
            home.write("config/jobs/" + job() + "/answer.schema.json", SCHEMA);
        }
        home.drop(file(), item(name) + (isUnder("twice") ? item(name + " again") : ""));
    }

    private String item(String id) {
        return JSON.createObjectNode().put("id", id).put("text", prompt()) + "\n";
    }

    /** What the journal must say, as a pattern. */
    String events() {
        return story.stream()
                .map(word -> {
                    String events = EVENTS.get(word.replaceFirst("(:|\\.\\.).*", ""));
                    return word.endsWith("..") ? "(" + events + ")+" : events;
                })
                .collect(Collectors.joining());
    }

    /** The shortest time before the next POST, after each attempt of the story. */
    List<Duration> waits() {
        return story.stream().map(FailureRow::wait).toList();
    }

    private static Duration wait(String word) {
        String time = word.substring(word.indexOf(':') + 1);
        if (time.equals(word)) {
            return Duration.ZERO;
        }
        long amount = Long.parseLong(time.replaceAll("\\D", ""));
        return time.endsWith("ms") ? Duration.ofMillis(amount) : Duration.ofSeconds(amount);
    }

    /** Whether money may have been lost in it: what the endpoint recognises is paid once, unless it is left for dead. */
    boolean isDoubtful() {
        boolean recognised = isUnder("deduplicates=true") && !end.startsWith("dead") && !story.contains("fallback");
        boolean unknown = story.contains("doubt") || story.contains("timeout");
        return story.contains("partial") || unknown && !recognised;
    }

    /** Whether something was certainly paid. */
    boolean isPaid() {
        return story.contains("invalid") || story.contains("answer");
    }

    @Override
    public String toString() {
        return name + ": " + String.join("; ", steps) + " → " + String.join(" ", story) + ", " + end;
    }
}
