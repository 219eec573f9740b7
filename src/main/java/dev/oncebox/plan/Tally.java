package dev.oncebox.plan;

import dev.oncebox.ledger.Foreseen;
import dev.oncebox.ledger.Foreseen.Kind;
import java.util.EnumMap;
import java.util.Map;

/** Counts items by what becomes of them; each item is in exactly one count. */
final class Tally {

    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long items;
    private long variants;

    void add(Foreseen item) {
        items++;
        variants += item.variant() ? 1 : 0;
        counts.merge(item.kind(), 1L, Long::sum);
    }

    void add(Tally other) {
        items += other.items;
        variants += other.variants;
        other.counts.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
    }

    long items() {
        return items;
    }

    /** Items that differ from another one of their call only in what the keying passes over. */
    long variants() {
        return variants;
    }

    /** Items of a kind; but for invalid, repeated and shared ones, each of them is a call. */
    long of(Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** Calls that are sent because of these items. */
    long sent() {
        return of(Kind.NEW) + of(Kind.RETRIED);
    }

    /** Calls, each counted at the first of its items. */
    long calls() {
        return items - of(Kind.INVALID) - of(Kind.REPEATED) - of(Kind.SHARED);
    }
}
