package dev.oncebox.ledger.camel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.Test;

class DestinationsTest {

    private final List<Object> delivered = new ArrayList<>();
    private boolean away = true;

    private Ledger ledger() {
        return (Ledger) Proxy.newProxyInstance(
                Ledger.class.getClassLoader(), new Class<?>[] {Ledger.class}, (ledger, method, values) -> {
                    assertThat(method.getName()).isEqualTo("delivered");
                    if (away) {
                        throw new LedgerException("away", true, new IllegalStateException());
                    }
                    return delivered.add(values[1]);
                });
    }

    /** It was passed over until the next start. */
    @Test
    void a_delivery_that_cannot_be_recorded_now_comes_again() throws Exception {
        var file = new SettledFile(7, "a.md", "default", DroppedFile.Kind.TEXT, new byte[32], 0, 1, 0, null, null);
        var destinations = new Destinations(ledger());
        try (var context = new DefaultCamelContext()) {
            assertThatThrownBy(() -> destinations.confirm(context, "outbox-files", file, Output.unsealed("a.md")))
                    .isInstanceOf(LedgerException.class);
            assertThat(destinations.confirmedBy("outbox-files")).isEmpty();

            away = false;
            destinations.confirm(context, "outbox-files", file, Output.unsealed("a.md"));
            assertThat(delivered).hasSize(1);
        }
    }
}
