package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.config.Home;
import dev.oncebox.config.Settings;
import dev.oncebox.runtime.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;

/** A runtime in this process that goes on until a test has seen what it waits for. */
final class Working implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Worker worker;

    Working(TestHome home) throws Worker.BusyException {
        Home place = new Home(home.root(), Path.of(System.getProperty("oncebox.dist")));
        worker = Worker.prepare(
                Settings.read(place, Map.of()), null, loss -> assertThat(loss).isNull());
        worker.start();
    }

    /** Waits until an assertion holds. */
    void until(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(10)).untilAsserted(assertion);
    }

    @Override
    public void close() {
        worker.close();
    }
}
