package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An endpoint that takes its time: what counts is that every place is always in use. */
record Delayed(Lab lab, Contestants contestants, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 256;
    private static final int DELAY_MILLIS = 200;
    private static final double IDEAL = IN_FLIGHT * 1000.0 / DELAY_MILLIS;
    private static final int MOST_ROUNDS = 2;

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Path folder = lab.newFolder("delayed");
        var trial = new Trial(lab, DELAY_MILLIS);
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < Math.min(MOST_ROUNDS, sizes.rounds()); round++) {
            Path prompts = new Prompts(round).lines(folder.resolve("prompts.jsonl"), sizes.delayedCalls());
            Performance performance =
                    trial.run(contestants.oncebox(), new Load(prompts, sizes.delayedCalls(), IN_FLIGHT));
            ratios.add(performance.callsPerSecond() / IDEAL);
        }
        report.add(Target.atLeast(
                0.95,
                "endpoint with a delay, against the ideal",
                new Series(ratios),
                sizes.delayedCalls() + " calls, 200 ms, 256 in flight, first to last"));
        Lab.delete(folder);
    }
}
