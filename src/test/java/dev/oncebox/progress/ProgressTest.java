package dev.oncebox.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final List<String> lines = new ArrayList<>();
    private long nanos = TimeUnit.HOURS.toNanos(1);

    private String shown() {
        return screen.toString(StandardCharsets.UTF_8);
    }

    private Bar bar(int columns) {
        return new Bar("run", Unit.ITEMS, new PrintStream(screen, true, StandardCharsets.UTF_8), columns, () -> nanos);
    }

    @Test
    void a_bar_shows_what_is_done_and_what_was_said_and_fits_its_terminal() {
        try (Bar bar = bar(100)) {
            bar.show(5, 10, "3 new, 2 reused, cost 0.5");
            assertThat(shown())
                    .startsWith("\r")
                    .contains("run ", " 50% [=", "]  5/10 items (", ", 3 new, 2 reused, cost 0.5")
                    .doesNotContain("\n");
            bar.show(10, 10, "");
            assertThat(shown()).contains("run 100% [=", "] 10/10 items (");
        }
        assertThat(shown()).endsWith(System.lineSeparator());
        assertThat(shown().strip().split("\r"))
                .allSatisfy(line -> assertThat(line.strip()).hasSizeLessThan(100));
    }

    @Test
    void a_narrow_terminal_gets_less_and_an_unknown_end_no_percentage() {
        try (Bar bar = bar(24)) {
            bar.show(7, -1, "");
        }
        assertThat(shown().strip().split("\r"))
                .allSatisfy(line -> assertThat(line.strip()).hasSizeLessThan(24).startsWith("run  ? % ["));
    }

    @Test
    void work_that_is_over_before_anything_was_due_shows_nothing() {
        Bar bar = bar(80);
        assertThat(bar.isDue()).isFalse();
        nanos += TimeUnit.SECONDS.toNanos(1);
        assertThat(bar.isDue()).isTrue();
        bar.close();
        assertThat(shown()).isEmpty();
    }

    @Test
    void without_a_terminal_there_is_a_line_now_and_then() {
        try (Lines progress = new Lines("run", Unit.ITEMS, lines::add, () -> nanos)) {
            progress.show(1, 100, "");
            nanos += TimeUnit.SECONDS.toNanos(10);
            assertThat(progress.isDue()).isTrue();
            progress.show(25, 100, "20 new");
            progress.show(26, 100, "21 new");
            nanos += TimeUnit.SECONDS.toNanos(10);
            progress.show(30, -1, "");
        }
        assertThat(lines)
                .containsExactly(
                        "run: 25 items of 100 items, 3 items/s, 0:00:30 left, 20 new", "run: 30 items, 2 items/s");
    }

    @Test
    void bytes_are_shown_in_megabytes() {
        Lines progress = new Lines("plan", Unit.MEGABYTES, lines::add, () -> nanos);
        nanos += TimeUnit.SECONDS.toNanos(20);
        progress.show(40_000_000, 60_000_000, "");
        assertThat(lines).containsExactly("plan: 40 MB of 60 MB, 2 MB/s, 0:00:10 left");
    }
}
