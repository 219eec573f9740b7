package dev.oncebox;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.stub.Counts;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A row of {@code async-table.txt}, which explains its columns.
 *
 * @param number from 1; its engines and its job are named after it
 */
record AsyncRow(
        int number,
        String name,
        List<String> under,
        String steps,
        String submissions,
        String polls,
        List<String> story,
        String end) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> OF_JOB = Set.of("attempts", "on-length");
    private static final String SCHEMA = """
            {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
            """;
    private static final Map<String, String> EVENTS = Map.ofEntries(
            Map.entry("sent", "ATTEMPT SENT "),
            Map.entry("queued", "QUEUED (POLLED )*"),
            Map.entry("refused", "REFUSED/no "),
            Map.entry("doubt", "IN_DOUBT/unknown "),
            Map.entry("timeout", "TIMEOUT/unknown "),
            Map.entry("partial", "INCOMPLETE/unknown "),
            Map.entry("invalid", "INCOMPLETE/yes "),
            Map.entry("answer", "COMPLETE/yes "),
            Map.entry("fallback", "FALLBACK "),
            Map.entry("dead", "DEAD_LETTER "));

    static List<AsyncRow> all() {
        try (var table = AsyncRow.class.getResourceAsStream("/async-table.txt")) {
            List<String[]> lines = new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split("\\s*\\|\\s*"))
                    .toList();
            return IntStream.range(0, lines.size())
                    .mapToObj(i -> of(i + 1, lines.get(i)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AsyncRow of(int number, String[] columns) {
        if (columns.length != 7) {
            throw new IllegalArgumentException("not seven columns: " + String.join(" | ", columns));
        }
        return new AsyncRow(
                number,
                columns[0],
                List.of(columns[1].split(" ")),
                columns[2],
                columns[3],
                columns[4],
                List.of(columns[5].split(" ")),
                columns[6]);
    }

    boolean isUnder(String word) {
        return under.contains(word);
    }

    boolean hasSpare() {
        return isUnder("spare") || isUnder("spare-sync") || isUnder("sync");
    }

    String job() {
        return "row" + number;
    }

    String file() {
        return job() + "/x.json";
    }

    String answer() {
        return "outbox/" + file();
    }

    private String prompt() {
        return "[[stub: " + steps + "]] " + name;
    }

    /** The settings of the row's engines, at its own endpoint. */
    List<String> engines(Stub stub) {
        List<String> lines = new ArrayList<>(engine(job(), stub, isUnder("sync")));
        if (hasSpare()) {
            lines.addAll(engine(job() + "-spare", stub, isUnder("spare-sync")));
        }
        return lines;
    }

    private List<String> engine(String engine, Stub stub, boolean atOnce) {
        String prefix = "engine." + engine + ".";
        List<String> lines = new ArrayList<>();
        if (atOnce) {
            lines.addAll(List.of("protocol=json", "url=" + stub.uri("/summarize"), "answer=/summary"));
        } else if (isUnder("responses")) {
            lines.addAll(List.of("protocol=openai-responses", "url=" + stub.uri("/v1"), "model=test"));
        } else {
            lines.addAll(List.of("protocol=async", "url=" + stub.uri("/jobs"), "answer=/summary"));
        }
        if (!atOnce && under.stream().noneMatch(word -> word.startsWith("poll="))) {
            lines.add("poll=50ms");
        }
        under.stream()
                .filter(word -> word.contains("=") && !isOfJob(word))
                .filter(word -> !atOnce || !word.matches("(poll|lost-after|location)=.*"))
                .forEach(lines::add);
        return lines.stream().map(line -> prefix + line).toList();
    }

    private static boolean isOfJob(String word) {
        return OF_JOB.contains(word.replaceFirst("=.*", ""));
    }

    /** Makes the job and drops its file. */
    void drop(TestHome home) {
        String settings = under.stream().filter(AsyncRow::isOfJob).collect(Collectors.joining("\n"));
        home.write(
                "config/jobs/" + job() + "/job.properties",
                "engines=" + job() + (hasSpare() ? "," + job() + "-spare" : "") + "\n" + settings + "\n");
        if (isUnder("schema")) {
            home.write("config/jobs/" + job() + "/answer.schema.json", SCHEMA);
        }
        home.drop(
                file(),
                JSON.createObjectNode().put("id", name).put("text", prompt()).toString());
    }

    /** What the journal must say, as a pattern. */
    String events() {
        return story.stream().map(EVENTS::get).collect(Collectors.joining());
    }

    /** What an endpoint has counted, as the column says it: {@code 1}, or {@code 1 (2)} with the POSTs. */
    String counted(Counts counts) {
        return counts.submitted() + (submissions.contains("(") ? " (" + counts.accepted() + ")" : "");
    }

    @Override
    public String toString() {
        return name + ": " + steps + " → " + String.join(" ", story) + ", " + end;
    }
}
