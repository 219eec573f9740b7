package dev.oncebox.stub;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.ToLongFunction;

/** Things by their id, in the order they came; the oldest are forgotten when they weigh too much together. */
final class Shelf<T> {

    private final Map<String, T> things = new LinkedHashMap<>();
    private final long most;
    private final ToLongFunction<T> weight;
    private long weighs;

    Shelf(long most, ToLongFunction<T> weight) {
        this.most = most;
        this.weight = weight;
    }

    /** An id that is on no shelf and was on none before. */
    static String newId(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "");
    }

    synchronized void put(String id, T thing) {
        things.put(id, thing);
        weighs += weight.applyAsLong(thing);
        while (weighs > most && things.size() > 1) {
            remove(things.keySet().iterator().next());
        }
    }

    synchronized Optional<T> find(String id) {
        return Optional.ofNullable(things.get(id));
    }

    synchronized Optional<T> remove(String id) {
        T thing = things.remove(id);
        if (thing != null) {
            weighs -= weight.applyAsLong(thing);
        }
        return Optional.ofNullable(thing);
    }

    synchronized List<T> newestFirst() {
        List<T> all = new ArrayList<>(things.values());
        Collections.reverse(all);
        return all;
    }
}
