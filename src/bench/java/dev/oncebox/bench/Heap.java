package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The most memory that is in use while calls are sent, of a long file and of a short one in the same small heap: what is
 * garbage is collected every second.
 */
record Heap(Lab lab, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;

    /** By itself the collector leaves garbage of up to a twentieth of the old objects' room in three collections of four. */
    private static final List<String> SMALL =
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:MarkSweepAlwaysCompactCount=1");

    private record Need(double mb, double callsPerSecond) {}

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        Need few = need(sizes.fewLines());
        Need many = need(sizes.manyLines());
        report.add(Target.atMost(
                1.2,
                "heap needed, a long file against a short one",
                new Series(List.of(many.mb() / few.mb())),
                String.format(
                        Locale.ROOT,
                        "%d lines %.0f MB, %d lines %.0f MB, of 128 MB; calls/s as 1 to %.2f",
                        sizes.manyLines(),
                        many.mb(),
                        sizes.fewLines(),
                        few.mb(),
                        many.callsPerSecond() / few.callsPerSecond())));
    }

    private Need need(int lines) throws IOException, InterruptedException {
        Path folder = lab.newFolder("heap");
        var home = new OnceboxHome(lab, folder.resolve("home"), IN_FLIGHT);
        Path prompts = new Prompts(0).lines(folder.resolve("prompts.jsonl"), lines);
        home.drop(prompts, "x.jsonl");
        Files.delete(prompts);
        lab.reset(0);
        Path gc = folder.resolve("gc.log");
        Contestant.Plan run = home.run(
                Stream.concat(SMALL.stream(), Stream.of(GcLog.option(gc))).toList(), "run", "--until-idle");
        try (Watched process = Watched.start(run.command(), run.environment(), folder.resolve("log"))) {
            while (process.isAlive()) {
                TimeUnit.SECONDS.sleep(1);
                if (lab.served().first() > 0) {
                    collect(process);
                }
            }
            process.finish(Duration.ofMinutes(1));
        }
        Served served = lab.served();
        if (served.accepted() != lines) {
            throw new IllegalStateException("Oncebox: " + served.accepted() + " calls instead of " + lines);
        }
        double mb = GcLog.read(gc).mostKept();
        Lab.delete(folder);
        return new Need(mb, lines / served.seconds());
    }

    /** Of a process that has ended meanwhile there is nothing to collect. */
    private static void collect(Watched process) throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        new ProcessBuilder(jcmd, "" + process.pid(), "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
