package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.Logged;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.apache.camel.component.file.FileConsumer;
import org.apache.camel.component.file.GenericFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a file is whole, by time stamps of every kind and by clocks that are set. */
class InboxFilesTest {

    private static final Duration SETTLE = Duration.ofMinutes(10);

    @TempDir
    private Path inbox;

    private Instant now = Instant.now();
    private long nanos;
    private InboxFiles files;

    @BeforeEach
    void watch_it() {
        files = new InboxFiles(inbox, SETTLE, new SetClock(), () -> nanos, false);
    }

    /** The machine's clock, which this test sets. */
    private final class SetClock extends Clock {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private void pass(Duration time) {
        now = now.plus(time);
        nanos += time.toNanos();
    }

    private Path file() throws IOException {
        return Files.writeString(inbox.resolve("x.md"), "text");
    }

    private boolean accepted(Path path) {
        GenericFile<File> file = FileConsumer.asGenericFile(inbox.toString(), path.toFile(), "UTF-8", false);
        return files.accept(file);
    }

    @Test
    void a_file_is_whole_when_it_has_not_changed_for_the_settling_time() throws IOException {
        Path file = file();

        assertThat(accepted(file)).isFalse();
        pass(SETTLE.minusMinutes(1));
        assertThat(accepted(file)).isFalse();
        pass(Duration.ofMinutes(2));
        assertThat(accepted(file)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1901-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2001-01-01T00:00:00Z"})
    void a_file_that_is_old_by_its_time_stamp_was_moved_or_copied_in(String stamp) throws IOException {
        Path file = Files.setLastModifiedTime(file(), FileTime.from(Instant.parse(stamp)));

        assertThat(accepted(file)).isTrue();
    }

    @Test
    void a_time_stamp_in_the_future_says_nothing_and_the_file_is_watched() throws IOException {
        Path file = Files.setLastModifiedTime(file(), FileTime.from(Instant.parse("2261-01-01T00:00:00Z")));

        assertThat(accepted(file)).isFalse();
        pass(SETTLE.plusMinutes(1));
        assertThat(accepted(file)).isTrue();
    }

    @Test
    void when_the_clock_was_set_back_a_file_is_watched_until_it_stays_as_it_is() throws IOException {
        Path file = file();
        now = now.minus(Duration.ofDays(2));

        assertThat(accepted(file)).isFalse();
        pass(SETTLE.minusMinutes(1));
        Files.writeString(file, "more", StandardOpenOption.APPEND);
        assertThat(accepted(file)).isFalse();
        pass(SETTLE.minusMinutes(1));
        assertThat(accepted(file)).isFalse();
        pass(Duration.ofMinutes(2));
        assertThat(accepted(file)).isTrue();
    }

    @Test
    void when_the_clock_is_set_forth_nothing_is_old_for_a_moment() throws IOException {
        Path file = file();
        assertThat(accepted(file)).isFalse();
        now = now.plus(Duration.ofDays(1));

        assertThat(accepted(file)).isFalse();
        pass(SETTLE.minusMinutes(1));
        assertThat(accepted(file)).isFalse();
        pass(Duration.ofMinutes(2));
        assertThat(accepted(file)).isTrue();
    }

    @Test
    void a_file_that_could_not_be_taken_is_left_alone_for_a_while_and_remembered_until_it_leaves() throws IOException {
        Path file = Files.setLastModifiedTime(file(), FileTime.from(Instant.EPOCH));
        files.postpone(file, new IOException("for a test"));

        assertThat(accepted(file)).isFalse();
        assertThat(files.hasPostponed()).isTrue();
        pass(Duration.ofMinutes(1));
        assertThat(accepted(file)).isTrue();
        assertThat(files.hasPostponed()).isTrue();
        files.left(file);
        assertThat(files.hasPostponed()).isFalse();
    }

    @Test
    void what_keeps_a_file_from_being_taken_is_said_once_and_again_when_it_is_something_else() throws IOException {
        Path file = file();

        assertThat(Logged.during(() -> files.postpone(file, new IOException("first"))))
                .contains("x.md stays in the inbox", "first");
        assertThat(Logged.during(() -> files.postpone(file, new IOException("second"))))
                .isEmpty();
        assertThat(Logged.during(() -> files.postpone(file, new AccessDeniedException("third"))))
                .contains("third");
    }
}
