package dev.oncebox.ledger.camel;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a log readable when ten thousand calls meet the same trouble: each kind is news once in a while. */
final class Troubles {

    private static final Duration QUIET = Duration.ofSeconds(30);

    private final Map<String, Long> told = new ConcurrentHashMap<>();

    boolean isNews(String trouble) {
        long now = System.nanoTime();
        Long last = told.get(trouble);
        if (last != null && now - last < QUIET.toNanos()) {
            return false;
        }
        return last == null ? told.putIfAbsent(trouble, now) == null : told.replace(trouble, last, now);
    }
}
