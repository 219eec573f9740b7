package dev.oncebox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Nodes with one home, each a process as a person starts it. */
final class Cluster implements AutoCloseable {

    private static final int FILES = 16;
    private static final String READY = "Taking files from";
    private static final Duration PATIENCE = Duration.ofMinutes(30);
    private static final long LOOK_MILLIS = 10;

    private final Path folder;
    private final OnceboxHome home;
    private final List<Watched> nodes = new ArrayList<>();
    private int drops;

    /** @param properties beside the engine's */
    Cluster(Lab lab, int nodes, int inFlight, List<String> properties) throws IOException, InterruptedException {
        folder = lab.newFolder("nodes");
        home = new OnceboxHome(lab, folder.resolve("home"), inFlight / nodes, properties);
        Contestant.Plan run = home.run(List.of(), "run");
        for (int i = 0; i < nodes; i++) {
            Path log = folder.resolve("log" + i);
            this.nodes.add(Watched.start(run.command(), run.environment(), log));
            await(() -> contains(log));
        }
    }

    private static boolean contains(Path log) {
        try {
            return Files.readString(log).contains(READY);
        } catch (IOException e) {
            return false;
        }
    }

    /** Drops distinct prompts in several files and waits until all are delivered; returns how many answers there are. */
    int ask(int calls) throws IOException, InterruptedException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            int some = calls * (i + 1) / FILES - calls * i / FILES;
            files.add(new Prompts(++drops).lines(folder.resolve("x" + drops + ".jsonl"), some));
        }
        for (Path file : files) {
            home.drop(file, file.getFileName().toString());
        }
        await(() -> files.stream()
                        .allMatch(file -> Files.exists(home.outbox().resolve(file.getFileName() + ".receipt.json")))
                && isNothingBegun());
        int answers = Answers.count(home.outbox());
        try (Stream<Path> delivered = Files.list(home.outbox())) {
            for (Path file : delivered.toList()) {
                Files.delete(file);
            }
        }
        return answers;
    }

    /** What is delivered has its name before the temporary one is gone. */
    private boolean isNothingBegun() {
        try (Stream<Path> delivered = Files.list(home.outbox())) {
            return delivered.noneMatch(file -> file.getFileName().toString().startsWith("."));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What all nodes together needed of the processors between two moments, in milliseconds. */
    double cpu(long from, long to) {
        return nodes.stream().mapToDouble(node -> node.cpu().growth(from, to)).sum();
    }

    private void await(BooleanSupplier reached) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end || !nodes.stream().allMatch(Watched::isAlive)) {
                throw new IllegalStateException("The nodes did not come so far, see " + folder);
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    @Override
    public void close() throws IOException {
        nodes.forEach(Watched::close);
        Lab.delete(folder);
    }
}
