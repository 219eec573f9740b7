package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadAheadTest {

    private final ExecutorService readers = Executors.newCachedThreadPool();
    private final AtomicInteger read = new AtomicInteger();

    @AfterEach
    void end() {
        readers.shutdownNow();
    }

    private Supplier<@Nullable Integer> parts(int count) {
        return () -> read.get() == count ? null : read.incrementAndGet();
    }

    @Test
    void every_part_comes_once_and_in_order() {
        List<Integer> got = new ArrayList<>();
        try (var ahead = new ReadAhead<>(parts(1000), part -> part % 3 != 0, readers)) {
            ahead.forEachRemaining(got::add);
            assertThat(ahead.hasNext()).isFalse();
            assertThatThrownBy(ahead::next).isInstanceOf(NoSuchElementException.class);
        }
        assertThat(got).hasSize(1000).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whoever_knows_that_there_is_a_next_part_has_the_one_after_it_read_meanwhile() throws Exception {
        var third = new CountDownLatch(1);
        Supplier<@Nullable Integer> parts = parts(5);
        Supplier<@Nullable Integer> watched = () -> {
            Integer part = parts.get();
            if (part != null && part == 3) {
                third.countDown();
            }
            return part;
        };
        try (var ahead = new ReadAhead<>(watched, part -> true, readers)) {
            assertThat(ahead.next()).isEqualTo(1);
            assertThat(ahead.hasNext()).isTrue();
            third.await();
        }
    }

    @Test
    void beside_a_heavy_part_nothing_is_read() {
        try (var ahead = new ReadAhead<>(parts(5), part -> false, readers)) {
            assertThat(ahead.next()).isEqualTo(1);
            assertThat(ahead.hasNext()).isTrue();
            assertThat(read).hasValue(2);
        }
    }

    @Test
    void a_failure_comes_in_its_place() {
        Supplier<@Nullable Integer> parts = parts(5);
        Supplier<@Nullable Integer> failing = () -> {
            Integer part = parts.get();
            if (part != null && part == 3) {
                throw new IllegalStateException("no third");
            }
            return part;
        };
        try (var ahead = new ReadAhead<>(failing, part -> true, readers)) {
            assertThat(ahead.next()).isEqualTo(1);
            assertThat(ahead.next()).isEqualTo(2);
            assertThatThrownBy(ahead::hasNext)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("no third");
        }
    }

    @Test
    void once_it_is_closed_nothing_is_being_read() throws Exception {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var reading = new AtomicBoolean();
        Supplier<@Nullable Integer> slow = () -> {
            if (read.incrementAndGet() == 2) {
                reading.set(true);
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                reading.set(false);
            }
            return read.get();
        };
        var ahead = new ReadAhead<>(slow, part -> true, readers);
        assertThat(ahead.hasNext()).isTrue();
        begun.await();
        readers.execute(go::countDown);
        ahead.close();
        assertThat(reading).isFalse();
    }
}
