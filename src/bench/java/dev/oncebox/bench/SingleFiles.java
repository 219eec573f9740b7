package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Many files of one prompt, against one file with the same number of prompts. */
record SingleFiles(Lab lab, Contestants contestants, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Path folder = lab.newFolder("single-files");
        var trial = new Trial(lab, 0);
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < sizes.rounds(); round++) {
            Path prompts = new Prompts(round).lines(folder.resolve("prompts.jsonl"), sizes.files());
            var load = new Load(prompts, sizes.files(), IN_FLIGHT);
            Performance batch = trial.run(contestants.oncebox(), load);
            Performance single = trial.run(new Dropped(lab, round), load);
            report.add(single(), single);
            ratios.add(single.callsPerSecond() / batch.callsPerSecond());
        }
        report.add(Target.atLeast(
                0.4,
                "single files, against one file with as many lines",
                new Series(ratios),
                sizes.files() + " files .md, calls/s"));
        Lab.delete(folder);
    }

    private static String single() {
        return "d: Oncebox, single files";
    }

    private record Dropped(Lab lab, long seed) implements Contestant {
        @Override
        public String name() {
            return single();
        }

        /** They are all there when it starts. */
        @Override
        public Plan plan(Load load, Path folder, List<String> javaOptions) throws IOException {
            var home = new OnceboxHome(lab, folder.resolve("home"), load.inFlight());
            Path made = folder.resolve("made");
            new Prompts(seed).files(made, load.calls());
            try (Stream<Path> files = Files.list(made)) {
                for (Path file : files.toList()) {
                    Files.move(file, home.inbox().resolve(file.getFileName()));
                }
            }
            return home.run(javaOptions, "run", "--until-idle");
        }
    }
}
