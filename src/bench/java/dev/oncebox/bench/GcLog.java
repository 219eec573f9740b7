package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a Java process allocated and kept, by the log of its collector. */
final class GcLog {

    private static final Pattern COLLECTION = Pattern.compile("\\[([0-9]+)ms\\].* ([0-9]+)M->([0-9]+)M\\(");

    private final Curve allocated = new Curve();
    private final List<Double> kept = new ArrayList<>();

    private GcLog() {}

    /** The option for Java that writes it. */
    static String option(Path file) {
        return "-Xlog:gc:file=" + file + ":timemillis:filecount=0";
    }

    static GcLog read(Path file) throws IOException {
        var log = new GcLog();
        double total = 0;
        double rest = 0;
        for (String line : Files.readAllLines(file)) {
            Matcher collection = COLLECTION.matcher(line);
            if (collection.find()) {
                total += Math.max(0, Double.parseDouble(collection.group(2)) - rest);
                rest = Double.parseDouble(collection.group(3));
                log.allocated.add(Long.parseLong(collection.group(1)), total);
                if (line.contains("Pause Full")) {
                    log.kept.add(rest);
                }
            }
        }
        return log;
    }

    /** In MB. */
    Curve allocated() {
        return allocated;
    }

    /** The most that a full collection left, in MB: what others leave is garbage in part. */
    double mostKept() {
        return kept.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }
}
