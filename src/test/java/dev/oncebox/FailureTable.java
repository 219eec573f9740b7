package dev.oncebox;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code failure-table.txt}, and homes in which all of its rows happen. */
final class FailureTable {

    private FailureTable() {}

    static List<FailureRow> rows() {
        List<FailureRow> rows = new ArrayList<>();
        try (var table = FailureTable.class.getResourceAsStream("/failure-table.txt")) {
            new String(table.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .forEach(line -> rows.add(FailureRow.of(rows.size() + 1, line.split("\\s*\\|\\s*"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    static List<FailureRow> rows(boolean givingUp) {
        return rows().stream().filter(row -> row.isUnder("give-up") == givingUp).toList();
    }

    /** A home with engines and a job for each row; each has its own, so that no breaker is opened by another row. */
    static TestHome home(Path root, Stub stub, List<FailureRow> rows, String... more) {
        List<String> properties = new ArrayList<>(List.of("retry.max-delay=60ms"));
        properties.addAll(List.of(more));
        rows.forEach(row -> properties.addAll(row.engines(stub.uri().toString())));
        return new TestHome(root, stub, properties.toArray(String[]::new));
    }
}
