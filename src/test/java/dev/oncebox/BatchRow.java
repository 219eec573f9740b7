package dev.oncebox;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A row of {@code batch-table.txt}, which explains its columns, at one vendor.
 *
 * @param job the name of its job and its engine
 */
record BatchRow(
        String job,
        String name,
        String vendor,
        List<String> under,
        List<String> steps,
        List<String> submitted,
        List<String> charged,
        List<String> end) {

    private static final ObjectMapper JSON = new ObjectMapper();
    static final List<String> ITEMS = List.of("a", "b", "c");
    private static final Set<String> OF_JOB = Set.of("attempts");
    private static final String SCHEMA = """
            {"type": "object", "required": ["call", "summary"], "additionalProperties": false,
             "properties": {"call": {"type": "integer"}, "summary": {"type": "string"}}}
            """;

    static List<BatchRow> all() {
        List<BatchRow> rows = new ArrayList<>();
        try (var table = BatchRow.class.getResourceAsStream("/batch-table.txt")) {
            new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> rows.addAll(of(rows.size() + 1, line.split("\\s*\\|\\s*"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    private static List<BatchRow> of(int number, String[] columns) {
        if (columns.length != 7) {
            throw new IllegalArgumentException("not seven columns: " + String.join(" | ", columns));
        }
        return Stream.of(columns[1].equals("both") ? "openai anthropic" : columns[1])
                .flatMap(vendors -> Stream.of(vendors.split(" ")))
                .map(vendor -> new BatchRow(
                        vendor + number,
                        columns[0],
                        vendor,
                        List.of(columns[2].split(" ")),
                        List.of(columns[3].split(" && ")),
                        each(columns[4].split(" ")),
                        each(columns[5].split(" ")),
                        each(columns[6].split(columns[6].matches("(new|unknown)( .*)") ? " " : ", "))))
                .toList();
    }

    private static List<String> each(String[] words) {
        return words.length == 1 ? Collections.nCopies(ITEMS.size(), words[0]) : List.of(words);
    }

    String file() {
        return job + "/x.jsonl";
    }

    /** Whether every item has its end, so that there is a file in the outbox. */
    boolean isDelivered() {
        return !end.contains("in doubt");
    }

    boolean isUnder(String word) {
        return under.contains(word);
    }

    List<String> engines(String endpoint) {
        List<String> lines = new ArrayList<>(List.of(
                "protocol=" + vendor + "-batch",
                "url=" + endpoint + "/v1",
                "model=test",
                "poll=40ms",
                "lost-after=20s",
                "batch.wait=60ms"));
        under.stream()
                .filter(word -> word.contains("=") && !OF_JOB.contains(word.replaceFirst("=.*", "")))
                .forEach(word -> {
                    lines.removeIf(line -> line.startsWith(word.replaceFirst("=.*", "=")));
                    lines.add(word);
                });
        List<String> all = new ArrayList<>(
                lines.stream().map(line -> "engine." + job + "." + line).toList());
        if (isUnder("spare")) {
            all.add("engine." + job + "-spare.url=" + endpoint + "/v1");
            all.add("engine." + job + "-spare.model=test");
        }
        return all;
    }

    /** Makes the job and drops its file. */
    void drop(TestHome home) {
        String settings = under.stream()
                .filter(word -> OF_JOB.contains(word.replaceFirst("=.*", "")))
                .collect(Collectors.joining("\n"));
        String engines = "engines=" + job + (isUnder("spare") ? "," + job + "-spare" : "");
        home.write("config/jobs/" + job + "/job.properties", engines + "\n" + settings + "\n");
        if (isUnder("schema")) {
            home.write("config/jobs/" + job + "/answer.schema.json", SCHEMA);
        }
        var lines = new StringBuilder();
        for (int i = 0; i < ITEMS.size(); i++) {
            String directive = i < steps.size() ? "[[stub: " + steps.get(i) + "]] " : "";
            lines.append(JSON.createObjectNode()
                            .put("id", ITEMS.get(i))
                            .put("text", directive + job + " " + name + " " + ITEMS.get(i)))
                    .append('\n');
        }
        home.drop(file(), lines.toString());
    }

    @Override
    public String toString() {
        return vendor + ", " + name + ": " + String.join(" && ", steps) + " → " + String.join(", ", end);
    }
}
