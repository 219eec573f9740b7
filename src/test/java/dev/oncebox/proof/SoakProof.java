package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.Launched;
import dev.oncebox.ShellCommand;
import dev.oncebox.TestHome;
import dev.oncebox.config.Values;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** At full speed for long, and nothing grows but the ledger. {@code -Doncebox.proof.soak=10m} makes it long. */
@Isolated("it looks at how fast the machine is")
class SoakProof {

    private static final Duration TIME = Values.parseDuration(System.getProperty("oncebox.proof.soak", "45s"));
    /** At full speed, before anything is measured. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    private static final int CONCURRENCY = 32;
    private static final int BATCH = 400;
    private static final int SAMPLES = 24;

    @TempDir
    private Path folder;

    /**
     * What the process holds.
     *
     * @param heap in KB, after a full collection
     */
    private record Sample(long heap, long threads, long sockets, long files, long temporaries) {}

    @Test
    void at_full_speed_heap_threads_connections_and_open_files_stay_as_they_are() throws Exception {
        try (Stub stub = Stub.start(Stub.Options.defaults().withLogLimit(1000))) {
            var home = new TestHome(folder, stub, "engine.default.concurrency=" + CONCURRENCY);
            List<Sample> samples = new ArrayList<>();
            int batches = 0;
            try (Launched run = Launched.quickly(home, "-Xmx256m", "run")) {
                // the first batches fill pools and caches: slow answers bring as many calls in flight as there can be
                for (; batches < 12; batches++) {
                    drop(home, batches, batches < 4 ? " [[stub: delay=100ms]]" : "");
                }
                long warm = batches;
                Trial.until(() -> delivered(home) == warm);
                // a place is free before its answer is durable, so slow commits bring more threads, which stay a minute
                long start = System.nanoTime() + SETTLING.toNanos();
                long next = start;
                while (System.nanoTime() - start < TIME.toNanos()) {
                    if (batches - delivered(home) < 3) {
                        drop(home, batches++, "");
                    }
                    if (System.nanoTime() >= next) {
                        samples.add(sample(run.pid()));
                        next += TIME.toNanos() / SAMPLES;
                    }
                    assertThat(run.endsWithin(Duration.ofMillis(20))).isFalse();
                }
                int all = batches;
                Trial.until(() -> delivered(home) == all);
                run.signal("TERM");
                assertThat(run.exit()).isZero();
            }
            assertThat(stub.counts().accepted()).isEqualTo((long) batches * BATCH);
            assertThat(stub.counts().keys()).isEqualTo((long) batches * BATCH);

            long heap = grown("heap", samples, Sample::heap, 2_000);
            // pools of bounded size fill by chance, those of threads as those of connections; a leak goes with the
            // calls
            long threads = grown("threads", samples, Sample::threads, CONCURRENCY / 3);
            long sockets = grown("connections", samples, Sample::sockets, CONCURRENCY / 3);
            long files = grown("open files", samples, Sample::files, 8);
            long temporaries = grown("temporary files", samples, Sample::temporaries, 3);
            assertThat(samples).allSatisfy(sample -> {
                // and what jcmd asks through
                assertThat(sample.sockets()).isLessThanOrEqualTo(CONCURRENCY + 4);
                assertThat(sample.temporaries()).isLessThanOrEqualTo(BATCH);
            });
            Sample last = samples.get(samples.size() - 1);
            Figures.say(
                    "SoakProof, %s: %d calls; first third to last: heap %+d KB of %d, threads %+d of %d, connections"
                            + " %+d of %d, open files %+d of %d, temporary files %+d",
                    TIME,
                    batches * BATCH,
                    heap,
                    last.heap(),
                    threads,
                    last.threads(),
                    sockets,
                    last.sockets(),
                    files,
                    last.files(),
                    temporaries);
        }
    }

    private static void drop(TestHome home, int batch, String wish) {
        var lines = new StringBuilder();
        for (int i = 0; i < BATCH; i++) {
            lines.append(
                    "{\"id\":%d,\"text\":\"Batch %d asks %d and nothing else.%s\"}\n".formatted(i, batch, i, wish));
        }
        home.drop("b" + batch + ".jsonl", lines.toString());
    }

    private static long delivered(TestHome home) throws IOException {
        if (!Files.exists(home.path("outbox"))) {
            return 0;
        }
        try (Stream<Path> files = Files.list(home.path("outbox"))) {
            return files.filter(file -> file.getFileName().toString().matches("b\\d+\\.jsonl"))
                    .count();
        }
    }

    private Sample sample(long pid) throws IOException {
        ShellCommand.of("jcmd", String.valueOf(pid), "GC.run").run();
        String heap = ShellCommand.of("jstat", "-gc", String.valueOf(pid)).run().out();
        long sockets = 0;
        long files = 0;
        try (Stream<Path> open = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path each : open.toList()) {
                if (link(each).startsWith("socket:")) {
                    sockets++;
                } else {
                    files++;
                }
            }
        }
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"));
                Stream<Path> below = Files.walk(folder.resolve("outbox"))) {
            return new Sample(
                    used(heap),
                    threads.count(),
                    sockets,
                    files,
                    below.filter(file -> file.toString().endsWith(".oncebox.tmp"))
                            .count());
        }
    }

    private static String link(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    /** Of the old generation, where everything lies that a full collection leaves; the rest is garbage to be. */
    private static long used(String jstat) {
        String[] lines = jstat.strip().split("\n");
        String[] names = lines[0].strip().split(" +");
        String[] values = lines[1].strip().split(" +");
        double used = 0;
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals("OU")) {
                used += Double.parseDouble(values[i]);
            }
        }
        return Math.round(used);
    }

    /** How much the average of the last third is above that of the first. */
    private static long grown(String what, List<Sample> samples, ToLongFunction<Sample> of, long atMost) {
        int third = samples.size() / 3;
        double first = average(samples.subList(0, third), of);
        double last = average(samples.subList(samples.size() - third, samples.size()), of);
        assertThat(last - first).as(what + " in " + samples).isLessThanOrEqualTo(atMost);
        return Math.round(last - first);
    }

    private static double average(List<Sample> samples, ToLongFunction<Sample> of) {
        return samples.stream().mapToLong(of).average().orElseThrow();
    }
}
