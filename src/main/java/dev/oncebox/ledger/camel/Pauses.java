package dev.oncebox.ledger.camel;

import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Pause;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells people and other processes when an engine is left in peace and when it answers again. One thread uses it. */
final class Pauses {

    private static final Logger LOG = LoggerFactory.getLogger(Pauses.class);

    private final Ledger ledger;
    private @Nullable Map<String, Pause> told;

    Pauses(Ledger ledger) {
        this.ledger = ledger;
    }

    void tell(Map<String, Pause> now) {
        if (now.equals(told)) {
            return;
        }
        ledger.pauses(now);
        if (!now.isEmpty()) {
            CrashPoint.AFTER_PAUSE.reach();
        }
        Map<String, Pause> before = told == null ? Map.of() : told;
        told = Map.copyOf(now);
        now.forEach((name, pause) -> {
            if (!before.containsKey(name)) {
                LOG.atWarn().addKeyValue("engine", name).log("{}: {} {}", named(name), pause.reason(), until(pause));
            }
        });
        before.keySet().stream()
                .filter(name -> !now.containsKey(name))
                .forEach(name -> LOG.atInfo().addKeyValue("engine", name).log("{}: calls are sent again", named(name)));
    }

    private static String named(String name) {
        return name.equals(Pause.BUDGET) ? "budget" : "engine " + name;
    }

    private static String until(Pause pause) {
        if (pause.state() == Pause.State.PROBING) {
            return "One call shows whether it answers again.";
        }
        return pause.until() == 0
                ? "Nothing more is sent."
                : "Nothing is sent until " + Instant.ofEpochMilli(pause.until()).truncatedTo(ChronoUnit.SECONDS) + ".";
    }
}
