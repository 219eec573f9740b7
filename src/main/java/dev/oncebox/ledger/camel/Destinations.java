package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.jspecify.annotations.Nullable;

/**
 * Publish-Subscribe Channel: every route {@code from: ledger:settled} is a destination, and a file counts as delivered
 * when each of them has confirmed it. Who confirmed what is in memory only: after a restart a file that some destination
 * still waits for goes to all of them again.
 */
final class Destinations {

    private static final Output NOWHERE = Output.unsealed("");

    private final Ledger ledger;
    /** By destination and file, where the answers went. */
    private final Map<String, Map<Long, Output>> confirmed = new ConcurrentHashMap<>();

    Destinations(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The routes that every settled file goes to. One that is not to start by itself is none. */
    private static Set<String> all(CamelContext context) {
        return context.getRoutes().stream()
                .filter(route -> route.getEndpoint() instanceof LedgerEndpoint ledger && ledger.isSettled())
                .filter(route -> !Boolean.FALSE.equals(route.isAutoStartup()))
                .map(Route::getRouteId)
                .collect(Collectors.toSet());
    }

    /** The files that a destination has confirmed and others have not, as far as they are among those that can be delivered. */
    Set<Long> confirmedBy(String destination) {
        return new HashSet<>(of(destination).keySet());
    }

    /** Forgets what a destination confirmed of files that cannot be delivered now: they may have other answers then. */
    void forgetAllBut(Set<Long> deliverable, String destination) {
        of(destination).keySet().retainAll(deliverable);
    }

    /**
     * A destination has the answers of a file for good.
     *
     * @param output where they went; null when that has no name
     */
    void confirm(CamelContext context, String destination, SettledFile file, @Nullable Output output) {
        of(destination).put(file.id(), Objects.requireNonNullElse(output, NOWHERE));
        Set<String> all = all(context);
        if (all.stream().allMatch(each -> of(each).containsKey(file.id()))) {
            Output place = all.stream()
                    .map(each -> of(each).getOrDefault(file.id(), NOWHERE))
                    .filter(each -> !each.equals(NOWHERE))
                    .findFirst()
                    .orElse(Output.unsealed(destination));
            record(destination, file, place);
            all.forEach(each -> of(each).remove(file.id()));
        }
    }

    /** What cannot be recorded now is not confirmed by the last one either, so that it comes here again. */
    private void record(String destination, SettledFile file, Output place) {
        boolean recorded = false;
        try {
            ledger.delivered(file, place);
            recorded = true;
        } finally {
            if (!recorded) {
                of(destination).remove(file.id());
            }
        }
    }

    private Map<Long, Output> of(String destination) {
        return confirmed.computeIfAbsent(destination, name -> new ConcurrentHashMap<>());
    }
}
