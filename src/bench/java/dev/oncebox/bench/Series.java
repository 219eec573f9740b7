package dev.oncebox.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What repeated runs measured. */
record Series(List<Double> values) {

    Series {
        values = List.copyOf(values);
    }

    double median() {
        double[] sorted = sorted();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    double least() {
        return sorted()[0];
    }

    double most() {
        return sorted()[values.size() - 1];
    }

    private double[] sorted() {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }

    /** The median and, of several runs, the least and the most. */
    String text(String format) {
        if (Double.isNaN(median())) {
            return "";
        }
        String median = String.format(Locale.ROOT, format, median());
        return values.size() == 1
                ? median
                : String.format(Locale.ROOT, "%s (" + format + "–" + format + ")", median, least(), most());
    }
}
