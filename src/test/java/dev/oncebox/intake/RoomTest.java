package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Six prompts of 16 MB, read at once in a small heap, took all memory. The threads that read them ended without a word,
 * and the files lay in the inbox for ever.
 */
class RoomTest {

    private static final int MB = 1 << 20;

    @Test
    void what_does_not_fit_waits_until_there_is_room() throws Exception {
        var room = new Room(10 * MB);
        Room.Part first = room.take(8 * MB);
        CompletableFuture<Room.Part> second = CompletableFuture.supplyAsync(() -> take(room, 4 * MB));
        Thread.onSpinWait();
        assertThat(second).isNotDone();

        first.close();
        first.close();

        await().until(second::isDone);
        CompletableFuture<Room.Part> third = CompletableFuture.supplyAsync(() -> take(room, 8 * MB));
        second.join().close();
        third.join().close();
    }

    @Test
    void what_is_larger_than_all_of_it_has_it_alone() throws Exception {
        var room = new Room(MB);
        room.take(100L * MB).close();
        Room.Part all = room.take(Long.MAX_VALUE);
        CompletableFuture<Room.Part> other = CompletableFuture.supplyAsync(() -> take(room, 0));
        assertThat(other).isNotDone();
        all.close();
        other.join().close();
    }

    private static Room.Part take(Room room, long bytes) {
        try {
            return room.take(bytes);
        } catch (InterruptedIOException e) {
            throw new CompletionException(e);
        }
    }
}
