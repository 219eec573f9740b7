package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Share;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {

    private final HandTime clock = new HandTime();
    private final AtomicLong nanos = new AtomicLong();
    private final Lease lease = new Lease(Duration.ofSeconds(15), Sharing.SHARED, clock, nanos::get);

    @Test
    void half_of_it_is_held_by_whichever_clock_says_so_first() {
        lease.renew(() -> new Lease.Membership(7, Share.ALL));
        assertThat(lease.node()).isEqualTo(7);
        nanos.addAndGet(Duration.ofSeconds(7).toNanos());
        lease.require();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThatThrownBy(lease::require).isInstanceOfSatisfying(LedgerException.class, e -> assertThat(e.isPassing())
                .isTrue());
        lease.renew(() -> new Lease.Membership(8, Share.ALL));
        assertThat(lease.isHeld()).isTrue();
        clock.pass(Duration.ofSeconds(8));
        assertThat(lease.isHeld()).as("a machine that slept").isFalse();
    }

    @Test
    void a_beat_that_took_long_counts_from_its_beginning() {
        lease.renew(() -> {
            nanos.addAndGet(Duration.ofSeconds(10).toNanos());
            return new Lease.Membership(7, Share.ALL);
        });
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void who_is_alone_holds_it_for_ever() {
        var alone = new Lease(Duration.ofSeconds(15), Sharing.ALONE, clock, nanos::get);
        nanos.addAndGet(Duration.ofDays(1).toNanos());
        assertThat(alone.isHeld()).isTrue();
    }

    @Test
    void who_comes_to_others_has_no_part_until_all_that_send_know_of_it() {
        lease.renew(() -> new Lease.Membership(7, new Share(1, 2)));
        assertThat(lease.share().of(100)).isZero();
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        lease.renew(() -> new Lease.Membership(7, new Share(1, 3)));
        assertThat(lease.share().of(100)).isZero();
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(lease.share()).isEqualTo(new Share(1, 3));
        lease.renew(() -> new Lease.Membership(9, new Share(2, 3)));
        assertThat(lease.share().of(100)).as("back under another number").isZero();
        lease.renew(() -> new Lease.Membership(9, Share.ALL));
        assertThat(lease.share().of(100)).as("nobody else is there").isEqualTo(100);
    }

    @Test
    void the_parts_of_all_are_the_whole() {
        for (int nodes = 1; nodes < 8; nodes++) {
            for (long whole = 0; whole < 40; whole++) {
                long sum = 0;
                for (int place = 0; place < nodes; place++) {
                    sum += new Share(place, nodes).of(whole);
                }
                assertThat(sum).isEqualTo(whole);
            }
        }
    }
}
