package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A file whose every line is answered already is dropped again under another name: whole processes, from their start to
 * their end, Oncebox against the second run of the worker in Python. Nothing may be sent.
 */
record Redrop(Lab lab, Contestants contestants, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;
    private static final int CALLS_PER_COMMIT = 1000;
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Path folder = lab.newFolder("redrop");
        int lines = sizes.redropped();
        Path prompts = new Prompts(0).lines(folder.resolve("prompts.jsonl"), lines);
        var load = new Load(prompts, lines, IN_FLIGHT);
        // how its database came to be is not measured, so it need not take long
        Contestant worker = contestants.python(CALLS_PER_COMMIT, folder.resolve("worker.db"));
        var trial = new Trial(lab, 0);
        trial.run(worker, load);

        var home = new OnceboxHome(lab, folder.resolve("home"), IN_FLIGHT);
        home.drop(prompts, "x.jsonl");
        seconds(home.run(List.of(), "run", "--until-idle"), folder);
        List<Double> ratios = new ArrayList<>();
        List<Double> python = new ArrayList<>();
        List<Double> oncebox = new ArrayList<>();
        for (int round = 0; round < sizes.rounds(); round++) {
            lab.reset(0);
            Contestant.Plan second = worker.plan(load, folder, List.of());
            python.add(seconds(second, folder));
            Trial.require(worker, "answers", lines, Answers.count(second.answers()));
            String name = "again" + round + ".jsonl";
            home.drop(prompts, name);
            oncebox.add(seconds(home.run(List.of(), "run", "--until-idle"), folder));
            Contestant self = contestants.oncebox();
            Trial.require(self, "answers", lines, Answers.count(home.outbox().resolve(name)));
            Trial.require(self, "calls of known prompts", 0, lab.served().accepted());
            ratios.add(python.get(round) / oncebox.get(round));
        }
        report.add(Target.atLeast(
                5,
                "a known file again, per line, against (c)'s second run",
                new Series(ratios),
                lines + " lines, whole processes: (c) " + new Series(python).text("%.2f") + " s, Oncebox "
                        + new Series(oncebox).text("%.2f") + " s"));
        Lab.delete(folder);
    }

    private static double seconds(Contestant.Plan plan, Path folder) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (Watched process = Watched.start(plan.command(), plan.environment(), folder.resolve("log"))) {
            process.finish(PATIENCE);
        }
        return (System.nanoTime() - start) / 1e9;
    }
}
