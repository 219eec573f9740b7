package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The four contestants at full speed, and Oncebox once more with a ledger that has seen much already. */
record SideBySide(Lab lab, Contestants contestants, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Path folder = lab.newFolder("side-by-side");
        var trial = new Trial(lab, 0);
        var full = new FullLedger(lab, folder.resolve("full"), sizes.ledger(), IN_FLIGHT);
        List<Double> againstBare = new ArrayList<>();
        List<Double> againstManual = new ArrayList<>();
        List<Double> againstPython = new ArrayList<>();
        List<Double> againstEmpty = new ArrayList<>();
        double endpointCpu = lab.endpointCpu();
        for (int round = 0; round < sizes.rounds(); round++) {
            var prompts = new Prompts(round);
            Load much = new Load(prompts.lines(folder.resolve("much.jsonl"), sizes.calls()), sizes.calls(), IN_FLIGHT);
            Load little = new Load(
                    prompts.lines(folder.resolve("little.jsonl"), sizes.slowCalls()), sizes.slowCalls(), IN_FLIGHT);
            double bare = rate(report, trial, contestants.bareLoop(), much);
            double oncebox = rate(report, trial, contestants.oncebox(), much);
            double manual = rate(report, trial, contestants.manualWay(), little);
            double python = rate(report, trial, contestants.python(1, null), little);
            double withMuch = rate(report, trial, full, much);
            againstBare.add(oncebox / bare);
            againstManual.add(oncebox / manual);
            againstPython.add(oncebox / python);
            againstEmpty.add(withMuch / oncebox);
        }
        long all = (long) sizes.rounds() * (3L * sizes.calls() + 2L * sizes.slowCalls());
        report.note(String.format(
                Locale.ROOT,
                "The endpoint itself needed %.0f ms of processors per thousand calls.",
                (lab.endpointCpu() - endpointCpu) * 1000 / all));
        String how = sizes.calls() + " calls, 64 in flight, prompts of 1.5 KB, no delay";
        report.add(Target.atLeast(0.30, "calls/s against the bare loop (a)", new Series(againstBare), how));
        report.add(Target.atLeast(6, "calls/s against Camel's manual (b)", new Series(againstManual), how));
        report.add(Target.atLeast(10, "calls/s against the worker in Python (c)", new Series(againstPython), how));
        report.add(Target.atLeast(
                0.9,
                "calls/s, full ledger against an empty one",
                new Series(againstEmpty),
                sizes.ledger() + " answered calls in it"));
        Lab.delete(folder);
    }

    private static double rate(Report report, Trial trial, Contestant contestant, Load load)
            throws IOException, InterruptedException {
        Performance performance = trial.run(contestant, load);
        report.add(contestant.name(), performance);
        return performance.callsPerSecond();
    }
}
