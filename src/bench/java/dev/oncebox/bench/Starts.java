package dev.oncebox.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A cold start with one prompt in the inbox, and one after a kill with many calls waiting. */
record Starts(Lab lab, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;
    private static final long NEVER_MILLIS = Duration.ofHours(1).toMillis();
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final List<String> ROUTES = List.of(
            "- route:",
            "    from:",
            "      uri: file:%s",
            "      steps:",
            "        - split:",
            "            expression:",
            "              tokenize:",
            "                token: \"\\n\"",
            "            steps:",
            "              - to:",
            "                  uri: http://127.0.0.1:1/",
            "              - to:",
            "                  uri: file:%s");

    /** Any word on it leaves the script's own archive out. */
    private static final List<String> UNSHARED = List.of("-Xshare:auto");

    /** In milliseconds. */
    private record First(double sent, double answered) {}

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        List<Double> sent = starts(
                report,
                "start to first answer with archived classes, against java -version and Camel's boot",
                List.of());
        starts(report, "the same without archived classes", UNSHARED);
        List<Double> restarted = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < sizes.rounds(); round++) {
            restarted.add(restart());
            ratios.add(restarted.get(round) / sent.get(round));
        }
        report.add(Target.atMost(
                3,
                "kill -9 and start to first send, against a normal start",
                new Series(ratios),
                sizes.pending() + " calls pending; " + text(restarted) + " ms against " + text(sent) + " ms"));
    }

    /** Returns how long each start took to its first send. */
    private List<Double> starts(Report report, String what, List<String> javaOptions)
            throws IOException, InterruptedException {
        List<Double> java = new ArrayList<>();
        List<Double> camel = new ArrayList<>();
        List<Double> sent = new ArrayList<>();
        List<Double> answered = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < sizes.rounds(); round++) {
            java.add(java());
            camel.add(camel());
            First first = first(javaOptions);
            sent.add(first.sent());
            answered.add(first.answered());
            ratios.add(first.answered() / (java.get(round) + camel.get(round)));
        }
        report.add(Target.atMost(
                1.3,
                what,
                new Series(ratios),
                text(answered) + " ms against " + text(java) + " + " + text(camel) + " ms"));
        return sent;
    }

    private static String text(List<Double> millis) {
        return new Series(millis).text("%.0f");
    }

    private double java() throws IOException, InterruptedException {
        Path folder = lab.newFolder("java");
        long start = System.nanoTime();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try (Watched process = Watched.start(List.of(java, "-version"), Map.of(), folder.resolve("log"))) {
            process.finish(PATIENCE);
        }
        return millisSince(start);
    }

    /** As Camel itself sees it, so without the start of Java. */
    private double camel() throws IOException, InterruptedException {
        Path folder = lab.newFolder("camel");
        Path routes = folder.resolve("bare.camel.yaml");
        Files.writeString(
                routes, String.format(String.join("\n", ROUTES), folder.resolve("in"), folder.resolve("out")));
        Path log = folder.resolve("log");
        try (Watched process = Watched.start(lab.java(BareCamel.class, List.of(), routes.toString()), Map.of(), log)) {
            process.finish(PATIENCE);
        }
        return Double.parseDouble(Files.readString(log).strip());
    }

    private First first(List<String> javaOptions) throws IOException, InterruptedException {
        Path folder = lab.newFolder("start");
        var home = new OnceboxHome(lab, folder.resolve("home"), IN_FLIGHT);
        new Prompts(0).files(folder.resolve("made"), 1);
        home.drop(folder.resolve("made/1.md"), "1.md");
        lab.reset(0);
        long started = System.currentTimeMillis();
        long start = System.nanoTime();
        try (Watched process = start(home, folder, javaOptions)) {
            Path answer = home.outbox().resolve("1.md");
            await(process, () -> Files.exists(answer));
            return new First(lab.served().first() - started, millisSince(start));
        }
    }

    private double restart() throws IOException, InterruptedException {
        Path folder = lab.newFolder("restart");
        var home = new OnceboxHome(lab, folder.resolve("home"), IN_FLIGHT);
        home.drop(new Prompts(0).lines(folder.resolve("prompts.jsonl"), sizes.pending()), "x.jsonl");
        lab.reset(NEVER_MILLIS);
        try (Watched process = start(home, folder, List.of())) {
            await(process, () -> Files.exists(home.archive().resolve("x.jsonl")));
        }
        lab.reset(0);
        long started = System.currentTimeMillis();
        try (Watched process = start(home, folder, List.of())) {
            await(process, this::isSending);
            double millis = lab.served().first() - started;
            process.close();
            Lab.delete(folder);
            return millis;
        }
    }

    private boolean isSending() {
        try {
            return lab.served().first() != 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Watched start(OnceboxHome home, Path folder, List<String> javaOptions) throws IOException {
        Contestant.Plan run = home.run(javaOptions, "run");
        return Watched.start(run.command(), run.environment(), folder.resolve("log"));
    }

    private static void await(Watched process, BooleanSupplier reached) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IllegalStateException("Oncebox did not come so far");
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    private static double millisSince(long start) {
        return (System.nanoTime() - start) / 1e6;
    }
}
