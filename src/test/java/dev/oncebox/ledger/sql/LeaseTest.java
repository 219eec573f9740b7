package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.LedgerException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {

    private final HandTime clock = new HandTime();
    private final AtomicLong nanos = new AtomicLong();
    private final Lease lease = new Lease(Duration.ofSeconds(15), Sharing.SHARED, clock, nanos::get);

    @Test
    void half_of_it_is_held_by_whichever_clock_says_so_first() {
        lease.renew(() -> 7);
        assertThat(lease.node()).isEqualTo(7);
        nanos.addAndGet(Duration.ofSeconds(7).toNanos());
        lease.require();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThatThrownBy(lease::require).isInstanceOfSatisfying(LedgerException.class, e -> assertThat(e.isPassing())
                .isTrue());
        lease.renew(() -> 8);
        assertThat(lease.isHeld()).isTrue();
        clock.pass(Duration.ofSeconds(8));
        assertThat(lease.isHeld()).as("a machine that slept").isFalse();
    }

    @Test
    void a_beat_that_took_long_counts_from_its_beginning() {
        lease.renew(() -> {
            nanos.addAndGet(Duration.ofSeconds(10).toNanos());
            return 7;
        });
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void who_is_alone_holds_it_for_ever() {
        var alone = new Lease(Duration.ofSeconds(15), Sharing.ALONE, clock, nanos::get);
        nanos.addAndGet(Duration.ofDays(1).toNanos());
        assertThat(alone.isHeld()).isTrue();
    }
}
