package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A file whose every line is answered already is dropped again, as it is and under another name, against the second run
 * of the worker in Python. Per line: what a process takes longer than one that finds nothing to do. Nothing may be sent.
 */
record Redrop(Lab lab, Contestants contestants, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;
    private static final int CALLS_PER_COMMIT = 1000;
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    /** Below this, a difference of two processes' times is noise. */
    private static final double LEAST_SECONDS = 0.02;

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Path folder = lab.newFolder("redrop");
        int lines = sizes.redropped();
        Path prompts = new Prompts(0).lines(folder.resolve("prompts.jsonl"), lines);
        var load = new Load(prompts, lines, IN_FLIGHT);
        var nothing = new Load(Files.createFile(folder.resolve("empty.jsonl")), 0, IN_FLIGHT);
        // how its database came to be is not measured, so it need not take long
        Contestant worker = contestants.python(CALLS_PER_COMMIT, folder.resolve("worker.db"));
        new Trial(lab, 0).run(worker, load);
        var home = new OnceboxHome(lab, folder.resolve("home"), IN_FLIGHT);
        home.drop(prompts, "x.jsonl");
        oncebox(home, folder);
        List<Double> same = new ArrayList<>();
        List<Double> other = new ArrayList<>();
        List<Double> python = new ArrayList<>();
        for (int round = 0; round < sizes.rounds(); round++) {
            lab.reset(0);
            Contestant.Plan second = worker.plan(load, folder, List.of());
            double whole = seconds(second, folder);
            Trial.require(worker.name(), "answers", lines, Answers.count(second.answers()));
            python.add(Math.max(LEAST_SECONDS, whole - seconds(worker.plan(nothing, folder, List.of()), folder)));
            double start = oncebox(home, folder);
            home.drop(prompts, "x.jsonl");
            same.add(Math.max(LEAST_SECONDS, oncebox(home, folder) - start));
            String name = "again" + round + ".jsonl";
            home.drop(prompts, name);
            other.add(Math.max(LEAST_SECONDS, oncebox(home, folder) - start));
            Contestant self = contestants.oncebox();
            Trial.require(
                    self.name(), "answers", lines, Answers.count(home.outbox().resolve("x.jsonl")));
            Trial.require(
                    self.name(), "answers", lines, Answers.count(home.outbox().resolve(name)));
            Trial.require(self.name(), "calls of known prompts", 0, lab.served().accepted());
        }
        report.add(target("a known file again, per line, against (c)'s second run", lines, python, same));
        report.add(target("the same lines under another name, per line, against the same", lines, python, other));
        Lab.delete(folder);
    }

    private static Target target(String what, int lines, List<Double> python, List<Double> oncebox) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < python.size(); round++) {
            ratios.add(python.get(round) / oncebox.get(round));
        }
        return Target.atLeast(
                5,
                what,
                new Series(ratios),
                lines + " lines, beyond a process with nothing to do: (c) " + new Series(python).text("%.2f")
                        + " s, Oncebox " + new Series(oncebox).text("%.2f") + " s");
    }

    private static double oncebox(OnceboxHome home, Path folder) throws IOException, InterruptedException {
        return seconds(home.run(List.of(), "run", "--until-idle"), folder);
    }

    private static double seconds(Contestant.Plan plan, Path folder) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (Watched process = Watched.start(plan.command(), plan.environment(), folder.resolve("log"))) {
            process.finish(PATIENCE);
        }
        return (System.nanoTime() - start) / 1e9;
    }
}
