package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.oncebox.HandTime;
import dev.oncebox.ledger.Share;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final HandTime time = new HandTime();

    private Quota quota(Long perMinute) {
        return new Quota(perMinute, time);
    }

    @Test
    void without_a_limit_there_is_no_end_to_it() {
        Quota quota = quota(null);
        assertThat(quota.isLimited()).isFalse();
        quota.use(Long.MAX_VALUE / 2);
        quota.use(-5);
        assertThat(quota.left()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 7, 19, 20, 21, 39, 60, 600, 5000})
    void no_minute_ever_sees_more_than_configured(long perMinute) {
        var dice = new Random(perMinute);
        Quota quota = quota(perMinute);
        var taken = new ArrayDeque<Long>();
        long spacing = Math.max(1, 240_000 / perMinute);
        for (int step = 0; step < 20_000; step++) {
            time.passMillis(dice.nextInt(10) == 0 ? dice.nextLong(20 * spacing) : dice.nextLong(spacing / 4 + 1));
            long now = time.millis();
            while (!taken.isEmpty() && now - taken.peek() >= 60_000) {
                taken.poll();
            }
            for (long left = dice.nextBoolean() ? quota.left() : Math.min(1, quota.left()); left > 0; left--) {
                quota.use(1);
                taken.add(now);
            }
            assertThat(taken.size()).isLessThanOrEqualTo((int) perMinute);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 7, 20, 60, 600})
    void nodes_that_share_a_limit_stay_within_it_together_while_one_of_them_comes_and_goes(long perMinute) {
        List<Quota> nodes = List.of(quota(perMinute), quota(perMinute), quota(perMinute));
        var taken = new ArrayDeque<Long>();
        for (int step = 0; step < 20_000; step++) {
            time.passMillis(50);
            boolean allThree = step % 4000 > 2000;
            for (int i = 0; i < 3; i++) {
                boolean gone = i == 2 && !allThree;
                Quota node = nodes.get(i);
                node.share(gone ? new Share(-1, 3) : new Share(i, allThree ? 3 : 2));
                for (long left = node.left(); left > 0; left--) {
                    node.use(1);
                    taken.add(time.millis());
                }
            }
            while (!taken.isEmpty() && time.millis() - taken.peekFirst() >= 60_000) {
                taken.poll();
            }
            assertThat(taken.size()).isLessThanOrEqualTo((int) perMinute + 3);
        }
    }

    @Test
    void a_node_that_comes_has_nothing_yet_and_is_not_at_the_limit_either() {
        Quota quota = quota(600L);
        quota.share(new Share(-1, 2));
        assertThat(quota.left()).isZero();
        assertThat(quota.untilLeft()).isZero();
        quota.share(new Share(1, 2));
        time.passMillis(60_000);
        assertThat(quota.left()).isEqualTo(300 / 20);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 7, 19, 20, 21, 39, 60, 600, 5000})
    void who_always_wants_more_gets_nearly_all_that_is_configured(long perMinute) {
        Quota quota = quota(perMinute);
        long total = 0;
        for (int tick = 0; tick < 10 * 60 * 50; tick++) {
            time.passMillis(20);
            long left = Math.max(0, quota.left());
            quota.use(left);
            total += left;
        }
        assertThat(total).isBetween(10 * perMinute * 94 / 100, 10 * perMinute + 1);
    }

    @Test
    void what_was_used_beyond_what_there_was_is_waited_for() {
        Quota quota = quota(60_000L);
        quota.use(13_000);
        assertThat(quota.left()).isEqualTo(-10_000);
        time.pass(Duration.ofSeconds(10));
        assertThat(quota.left()).isNegative();
        time.pass(Duration.ofSeconds(1));
        assertThat(quota.left()).isPositive();
        time.pass(Duration.ofDays(1));
        assertThat(quota.left()).as("no more at once than a twentieth").isEqualTo(3000);
    }

    @Test
    void what_is_given_back_is_there_again_and_never_more_than_that() {
        Quota quota = quota(600L);
        quota.use(30);
        assertThat(quota.left()).isZero();
        quota.use(-30);
        assertThat(quota.left()).isEqualTo(30);
        quota.use(-30);
        assertThat(quota.left()).isEqualTo(30);
    }

    @ParameterizedTest
    @CsvSource({
        "100, 50, 30000, 0, 50",
        "100, 100, 0, 0, 100",
        "100, 50, 30000, 20, 30",
        "100, 3, 58000, 10, -7",
        "1, 0, 60000, 0, 0",
        "100000, 99999, 1, 3, 99996"
    })
    void the_engines_word_counts_less_what_is_under_way(
            long limit, long remaining, long reset, long underWay, long left) {
        Quota quota = quota(null);
        quota.announced(limit, remaining, Duration.ofMillis(reset), underWay);
        assertThat(quota.isLimited()).isTrue();
        assertThat(quota.left()).isEqualTo(left);
    }

    @Test
    void fewer_left_than_in_flight_is_waited_for_and_comes_back_at_the_engines_pace() {
        Quota quota = quota(null);
        quota.announced(100, 0, MINUTE, 10);
        assertThat(quota.left()).isEqualTo(-10);
        time.pass(Duration.ofSeconds(6));
        assertThat(quota.left()).isZero();
        time.pass(Duration.ofSeconds(1));
        assertThat(quota.left()).isEqualTo(1);
        time.pass(MINUTE);
        assertThat(quota.left()).isEqualTo(100);
    }

    @Test
    void a_limit_that_shrinks_or_grows_is_followed() {
        Quota quota = quota(null);
        quota.announced(100, 90, Duration.ofSeconds(6), 0);
        quota.announced(10, 9, Duration.ofSeconds(6), 0);
        assertThat(quota.left()).isEqualTo(9);
        time.pass(Duration.ofHours(1));
        assertThat(quota.left()).isEqualTo(10);
        quota.announced(1000, 999, Duration.ofMillis(60), 0);
        assertThat(quota.left()).isEqualTo(999);
        time.pass(Duration.ofHours(1));
        assertThat(quota.left()).isEqualTo(1000);
    }

    @Test
    void the_stricter_of_the_two_limits_counts() {
        Quota quota = quota(60L);
        quota.announced(1000, 999, Duration.ofMillis(60), 0);
        assertThat(quota.left()).isEqualTo(3);
        quota.announced(1000, 2, MINUTE, 0);
        assertThat(quota.left()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1000", "-5, 0, 1000", "10, -1, 1000", "10, 11, 1000"})
    void what_makes_no_sense_is_not_listened_to(long limit, long remaining, long reset) {
        Quota quota = quota(null);
        quota.announced(limit, remaining, Duration.ofMillis(reset), 0);
        assertThat(quota.isLimited()).isFalse();
    }

    /** Some gateways say "unlimited" so; what they say must not cost the answer that came with it. */
    @ParameterizedTest
    @CsvSource({
        "999999999999999, 999999999999998, 0",
        "999999999999999, 0, 2678400000",
        "2000000000, 1000, 1",
        "60000000001, 60000000001, 0",
        "1000000000, 0, 0"
    })
    void a_huge_limit_is_no_failure(long limit, long remaining, long reset) {
        Quota quota = quota(null);
        assertThatCode(() -> {
                    quota.announced(limit, remaining, Duration.ofMillis(reset), 16);
                    quota.use(5);
                    quota.use(-5);
                    quota.left();
                })
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000_000_000L, 60_000_000_001L, 1_000_000_000_000L})
    void a_huge_configured_limit_is_no_failure(long perMinute) {
        assertThat(quota(perMinute).left()).isGreaterThan(1_000_000);
    }

    @Test
    void whatever_an_engine_says_it_is_asked_again_within_days() {
        var dice = new Random(7);
        for (int n = 0; n < 20_000; n++) {
            Quota quota = quota(dice.nextBoolean() ? null : Long.valueOf(1 + dice.nextLong(1000)));
            int words = 1 + dice.nextInt(4);
            for (int word = 0; word < words; word++) {
                long limit = (long) Math.pow(10, dice.nextDouble() * 15);
                long remaining = dice.nextBoolean() ? 0 : dice.nextLong(Math.max(1, limit + 1));
                Duration reset = Duration.ofMillis((long) Math.pow(10, dice.nextDouble() * 9.4) - 1);
                quota.announced(limit, remaining, reset, dice.nextLong(3));
                quota.use(dice.nextInt(3) - 1);
                time.passMillis(dice.nextInt(100_000));
            }
            time.pass(Duration.ofDays(6));
            assertThat(quota.left()).as("case %s", n).isPositive();
        }
    }
}
