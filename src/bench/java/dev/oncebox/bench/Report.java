package dev.oncebox.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What was measured, as Markdown. */
final class Report {

    private final List<Target> targets = new ArrayList<>();
    private final List<Ratio> ratios = new ArrayList<>();
    private final Map<String, List<Performance>> performances = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    void add(Target target) {
        targets.add(target);
        say(target.what() + ": " + target.measured().text("%.3g") + ", wanted " + target.wantedText() + "; "
                + target.detail());
    }

    void add(Ratio ratio) {
        ratios.add(ratio);
        say(ratio.what() + ": " + ratio.measured().text("%.3g") + "; " + ratio.detail());
    }

    void add(String contestant, Performance performance) {
        performances.computeIfAbsent(contestant, name -> new ArrayList<>()).add(performance);
        String allocated = Double.isNaN(performance.allocatedMb())
                ? ""
                : String.format(Locale.ROOT, "  %6.0f KB per call", performance.allocatedKbPerCall());
        say(String.format(
                Locale.ROOT,
                "  %-50s %8.0f calls/s  %7.0f ms of processors per thousand%s",
                contestant,
                performance.callsPerSecond(),
                performance.cpuMillisPerThousand(),
                allocated));
    }

    void note(String text) {
        notes.add(text);
        say(text);
    }

    /** Tells whoever waits. */
    static void say(String text) {
        System.out.println(text);
    }

    List<Target> targets() {
        return List.copyOf(targets);
    }

    String markdown() {
        var text = new StringBuilder();
        if (!targets.isEmpty()) {
            text.append("| what | measured: median (least–most) | target | | how |\n|---|---|---|---|---|\n");
            for (Target target : targets) {
                text.append(String.format(
                        "| %s | %s | %s | %s | %s |%n",
                        target.what(),
                        target.measured().text("%.3g"),
                        target.wantedText(),
                        target.isMet() ? "met" : "not met",
                        target.detail()));
            }
        }
        if (!ratios.isEmpty()) {
            text.append("\n| what | measured: median (least–most) | how |\n|---|---|---|\n");
            ratios.forEach(ratio -> text.append(String.format(
                    "| %s | %s | %s |%n", ratio.what(), ratio.measured().text("%.3g"), ratio.detail())));
        }
        if (!performances.isEmpty()) {
            text.append(
                    "\n| contestant | durable calls/s | ms of processors per thousand calls | KB allocated per call |\n"
                            + "|---|---|---|---|\n");
            performances.forEach((contestant, runs) -> text.append(String.format(
                    "| %s | %s | %s | %s |%n",
                    contestant,
                    series(runs, Performance::callsPerSecond).text("%.0f"),
                    series(runs, Performance::cpuMillisPerThousand).text("%.0f"),
                    series(runs, Performance::allocatedKbPerCall).text("%.0f"))));
        }
        notes.forEach(note -> text.append('\n').append(note).append('\n'));
        return text.toString();
    }

    static Series series(List<Performance> runs, ToDoubleFunction<Performance> value) {
        return new Series(runs.stream().mapToDouble(value).boxed().toList());
    }
}
