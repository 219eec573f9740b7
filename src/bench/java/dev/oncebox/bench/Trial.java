package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Lets contestants run, one at a time, and holds them to their word: so many calls, so many different answers. */
final class Trial {

    private static final Duration PATIENCE = Duration.ofMinutes(60);

    private final Lab lab;
    private final long delayMillis;

    Trial(Lab lab, long delayMillis) {
        this.lab = lab;
        this.delayMillis = delayMillis;
    }

    Performance run(Contestant contestant, Load load) throws IOException, InterruptedException {
        Path folder = lab.newFolder("trial");
        Path gc = folder.resolve("gc.log");
        Contestant.Plan plan = contestant.plan(load, folder, List.of(GcLog.option(gc)));
        lab.reset(delayMillis);
        Curve cpu;
        try (Watched process = Watched.start(plan.command(), plan.environment(), folder.resolve("log"))) {
            process.finish(PATIENCE);
            cpu = process.cpu();
        }
        Served served = lab.served();
        require(contestant.name(), "calls", load.calls(), served.accepted());
        require(contestant.name(), "answers", load.calls(), Answers.count(plan.answers()));
        double allocated =
                Files.exists(gc) ? GcLog.read(gc).allocated().growth(served.first(), served.last()) : Double.NaN;
        Lab.delete(folder);
        return new Performance(load.calls(), served.seconds(), cpu.growth(served.first(), served.last()), allocated);
    }

    static void require(String contestant, String what, long wanted, long counted) {
        if (wanted != counted) {
            throw new IllegalStateException(contestant + ": " + counted + " " + what + " instead of " + wanted);
        }
    }
}
