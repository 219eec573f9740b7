package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that becomes another one while it is being read: nothing that is asked is made of both. */
class ChangingFileTest {

    private static final int LINES = 5000;

    @TempDir
    private Path folder;

    @FunctionalInterface
    private interface Change {
        void of(Path file) throws IOException;
    }

    private static String batch(String text) {
        return IntStream.range(0, LINES)
                .mapToObj(i -> "{\"text\":\"" + text + " " + i + "\"}\n")
                .collect(Collectors.joining());
    }

    private FileReading open(Path file) throws Exception {
        Jobs jobs = Jobs.read(folder.resolve("jobs"), Map.of("default", "test"));
        Job job = jobs.find(Jobs.DEFAULT).orElseThrow();
        return new FileReadings(jobs, 1 << 20).open(file, "x.jsonl", job);
    }

    /** How many items are handed out when the file changes after the first ones, and whether it is taken. */
    private int itemsAfter(Change change, boolean taken) throws Exception {
        Path file = Files.writeString(folder.resolve("x.jsonl"), batch("first"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        try (FileReading reading = open(file)) {
            Iterator<List<Entry>> chunks = reading.whileUnchanged(Runnable::run);
            List<Entry> items = new ArrayList<>(chunks.next());
            change.of(file);
            while (chunks.hasNext()) {
                items.addAll(chunks.next());
            }
            assertThat(reading.isAsAnnounced()).isEqualTo(taken);
            assertThat(items).noneMatch(Entry.Invalid.class::isInstance);
            return items.size();
        }
    }

    @Test
    void of_a_file_that_is_written_over_in_its_place_nothing_more_is_asked() throws Exception {
        assertThat(itemsAfter(file -> Files.writeString(file, batch("other")), false))
                .isLessThan(LINES);
    }

    @Test
    void of_a_file_that_still_grows_nothing_more_is_asked() throws Exception {
        assertThat(itemsAfter(file -> Files.writeString(file, "{\"text\":\"half", StandardOpenOption.APPEND), false))
                .isLessThan(LINES);
    }

    @Test
    void of_a_file_in_whose_place_another_one_is_put_nothing_more_is_asked() throws Exception {
        assertThat(itemsAfter(
                        file -> {
                            Path other = Files.writeString(folder.resolve("y.jsonl"), batch("other"));
                            Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
                        },
                        false))
                .isLessThan(LINES);
    }

    @Test
    void a_file_that_is_taken_away_is_read_to_its_end() throws Exception {
        assertThat(itemsAfter(Files::delete, true)).isEqualTo(LINES);
    }

    /** Whether a comparison with another file speaks for what was read, when the file changes between the two. */
    private boolean speaksFor(Change change) throws Exception {
        Path file = Files.writeString(folder.resolve("x.jsonl"), batch("first"));
        Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
        try (FileReading reading = open(file)) {
            change.of(file);
            reading.compared();
            return reading.isStillWhereCompared();
        }
    }

    @Test
    void a_comparison_speaks_for_what_was_read_as_long_as_it_is_the_same_file() throws Exception {
        assertThat(speaksFor(file -> {})).isTrue();
        assertThat(speaksFor(file -> Files.writeString(file, batch("other")))).isFalse();
        assertThat(speaksFor(file -> {
                    Path other = Files.writeString(folder.resolve("y.jsonl"), batch("other"));
                    Files.setLastModifiedTime(other, FileTime.from(Instant.EPOCH));
                    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
                }))
                .isFalse();
    }
}
