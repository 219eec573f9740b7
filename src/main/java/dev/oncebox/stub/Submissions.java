package dev.oncebox.stub;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How often each call was taken on by an asynchronous face and how often it was worked on, by the call's key: a line's
 * custom_id, a job's {@code Idempotency-Key}, or the SHA-256 of its body where it has none.
 */
final class Submissions {

    private static final int MAX_KEYS = 1_000_000;

    private final Map<String, Long> started = new TreeMap<>();
    private final Map<String, Long> charged = new TreeMap<>();
    private final Map<String, Integer> startedKeys = bounded();
    private final Map<String, Integer> chargedKeys = bounded();

    synchronized void start(String face, String key) {
        started.merge(face, 1L, Long::sum);
        startedKeys.merge(key, 1, Integer::sum);
    }

    synchronized void charge(String face, String key) {
        charged.merge(face, 1L, Long::sum);
        chargedKeys.merge(key, 1, Integer::sum);
    }

    synchronized Map<String, Long> started() {
        return Map.copyOf(started);
    }

    synchronized Map<String, Long> charged() {
        return Map.copyOf(charged);
    }

    synchronized Map<String, Integer> startedByKey() {
        return Map.copyOf(startedKeys);
    }

    synchronized Map<String, Integer> chargedByKey() {
        return Map.copyOf(chargedKeys);
    }

    private static Map<String, Integer> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
                return size() > MAX_KEYS;
            }
        };
    }
}
