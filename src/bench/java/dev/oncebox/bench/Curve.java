package dev.oncebox.bench;

import java.util.Map;
import java.util.TreeMap;

/** An amount that only grows, as seen at some moments (epoch milliseconds); in between it is taken to grow evenly. */
final class Curve {

    private final TreeMap<Long, Double> seen = new TreeMap<>();

    synchronized void add(long millis, double amount) {
        seen.put(millis, amount);
    }

    /** By how much it grew between two moments; NaN when it was not seen often enough to say so. */
    synchronized double growth(long from, long to) {
        return at(to) - at(from);
    }

    private double at(long millis) {
        Map.Entry<Long, Double> before = seen.floorEntry(millis);
        Map.Entry<Long, Double> after = seen.higherEntry(millis);
        if (before != null && after == null) {
            after = before;
            before = seen.lowerEntry(before.getKey());
        }
        if (before == null || after == null) {
            return Double.NaN;
        }
        double part = (millis - before.getKey()) / (double) (after.getKey() - before.getKey());
        return before.getValue() + part * (after.getValue() - before.getValue());
    }
}
