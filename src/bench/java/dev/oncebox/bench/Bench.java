package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the benchmark: {@code mvn -Pbench verify}. Ratios are of one run on one machine, and nothing fails because one is
 * missed; it fails when somebody sent another number of calls than it was given prompts, or misses answers.
 *
 * <p>System properties: {@code bench.long=true} for the sizes that the targets are meant for, {@code bench.only=NAMES}
 * for some of the measurements, {@code bench.rounds=N}.
 */
final class Bench {

    private Bench() {}

    /** @param args the project's folder */
    public static void main(String[] args) throws IOException, InterruptedException {
        var project = Path.of(args[0]);
        Path target = project.resolve("target");
        Sizes sizes = Boolean.getBoolean("bench.long") ? Sizes.large() : Sizes.small();
        sizes = sizes.withRounds(Integer.getInteger("bench.rounds", sizes.rounds()));
        var report = new Report();
        try (var lab = new Lab(target.resolve("bench/work"), target.resolve("oncebox"))) {
            lab.shareClasses();
            var contestants = new Contestants(lab, project.resolve("src/bench/python"));
            Map<String, Measurement> all = new LinkedHashMap<>();
            all.put("calls", new SideBySide(lab, contestants, sizes));
            all.put("delayed", new Delayed(lab, contestants, sizes));
            all.put("redrop", new Redrop(lab, contestants, sizes));
            all.put("heap", new Heap(lab, sizes));
            all.put("files", new SingleFiles(lab, contestants, sizes));
            all.put("starts", new Starts(lab, sizes));
            all.put("nodes", new Nodes(lab, sizes));
            String only = System.getProperty("bench.only", "");
            all.keySet()
                    .removeIf(
                            name -> !only.isEmpty() && !List.of(only.split(",")).contains(name));
            for (Map.Entry<String, Measurement> each : all.entrySet()) {
                Report.say("== " + each.getKey());
                each.getValue().run(report);
            }
        }
        report.note(machine());
        Files.writeString(target.resolve("bench/results.md"), report.markdown());
        Files.writeString(target.resolve("bench/results.svg"), Plot.svg(report.targets()));
        Report.say("\n" + report.markdown() + "\nWritten to target/bench/results.md and results.svg");
    }

    private static String machine() {
        return LocalDate.now() + ": " + Runtime.getRuntime().availableProcessors() + " processors, Java "
                + System.getProperty("java.version") + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + ".";
    }
}
