package dev.oncebox.stub;

import dev.oncebox.stub.Step.Delivery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A reply and how it goes out; {@code entry} is null when it is not a counted call's. */
record Exchange(Reply reply, Delivery delivery, Duration delay, Duration pause, Tally.@Nullable Entry entry) {

    static Exchange of(Served served, Duration before, Tally.@Nullable Entry entry) {
        Step how = served.how();
        return new Exchange(served.reply(), how.delivery(), before.plus(how.delay()), how.pause(), entry);
    }

    static Exchange uncounted(Reply reply) {
        return new Exchange(reply, Delivery.WHOLE, Duration.ZERO, Duration.ZERO, null);
    }
}
