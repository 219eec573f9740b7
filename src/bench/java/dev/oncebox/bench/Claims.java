package dev.oncebox.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How many calls nodes get through a ledger that have nothing else to do: no HTTP, no files, no Camel. */
final class Claims {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Lab lab;
    private final int warm;
    private final int calls;

    /** @param warm calls of each node before it counts */
    Claims(Lab lab, int warm, int calls) {
        this.lab = lab;
        this.warm = warm;
        this.calls = calls;
    }

    private void fill(String url, int nodes) throws IOException, InterruptedException {
        Path log = lab.newFolder("fill").resolve("log");
        try (Watched process = Watched.start(
                lab.java(Claimer.class, List.of(), "fill", url, "" + warm * nodes, "" + calls), Map.of(), log)) {
            process.finish(PATIENCE);
        }
    }

    /** Calls a second that so many processes on an empty ledger claim, record as sent and settle, all of them together. */
    double perSecond(String url, int nodes, int threads) throws IOException, InterruptedException {
        fill(url, nodes);
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < nodes; i++) {
                processes.add(new ProcessBuilder(lab.java(Claimer.class, List.of(), "work", url, "" + threads / nodes))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            List<BufferedReader> said = new ArrayList<>();
            for (Process process : processes) {
                said.add(
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII)));
            }
            for (BufferedReader each : said) {
                require("warm", each.readLine());
            }
            for (Process process : processes) {
                try (OutputStream go = process.getOutputStream()) {
                    go.write('\n');
                }
            }
            long sum = 0;
            long begun = Long.MAX_VALUE;
            long ended = 0;
            for (BufferedReader each : said) {
                String[] numbers = each.readLine().split(" ");
                sum += Long.parseLong(numbers[0]);
                begun = Math.min(begun, Long.parseLong(numbers[1]));
                ended = Math.max(ended, Long.parseLong(numbers[2]));
            }
            require("" + calls, "" + sum);
            double rate = calls * 1000.0 / (ended - begun);
            Report.say(
                    String.format(Locale.ROOT, "  without HTTP and files, processes: %d %15.0f calls/s", nodes, rate));
            return rate;
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static void require(String wanted, String said) {
        if (!wanted.equals(said)) {
            throw new IllegalStateException("A claiming process said " + said + " instead of " + wanted);
        }
    }
}
