package dev.oncebox.bench;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Retry;
import dev.oncebox.intake.RequestKey;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Job;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.sql.SqlLedger;
import dev.oncebox.ledger.sql.Surroundings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A node that has nothing but its ledger: calls are claimed, recorded as sent, and settled as if they were answered. */
final class Claimer {

    /** Of the two, the first makes warm: what is read while its code is compiled is not measured. */
    private static final List<String> ENGINES = List.of("warm", "measured");

    private static final int CHUNK = 500;
    /** As a worker claims for the places that it has found empty. */
    private static final int TOGETHER = 8;

    private static final Reply REPLY = new Reply(200, "an answer ".repeat(40).getBytes(StandardCharsets.UTF_8));
    private static final Verdict VALID = new Verdict.Valid(
            new Answer(TextNode.valueOf("an answer ".repeat(40)), "stop", "bench", new Usage(null, 375L, 80L, null)));

    private Claimer() {}

    /**
     * {@code fill URL WARM MEASURED} makes so many calls of each kind. {@code work URL THREADS} says {@code warm} when
     * there is nothing more to get warm with, waits for a line, and says how many calls it had and, in epoch
     * milliseconds, from when until when.
     */
    public static void main(String[] args) throws Exception {
        LedgerUrl url = LedgerUrl.parse(args[1], Path.of("/"));
        var policy = new Policy(
                3, true, false, new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(1), Duration.ofHours(1)), null);
        try (Ledger ledger = SqlLedger.open(
                url,
                new Surroundings((job, engine) -> policy, RequestKey.VERSION, Clock.systemUTC(), new Random(), loss -> {
                    throw new IllegalStateException(loss);
                }))) {
            if (args[0].equals("fill")) {
                for (int i = 0; i < ENGINES.size(); i++) {
                    fill(ledger, i, Integer.parseInt(args[2 + i]));
                }
                return;
            }
            int threads = Integer.parseInt(args[2]);
            work(ledger, ENGINES.get(0), threads);
            System.out.println("warm");
            System.in.read();
            long begun = System.currentTimeMillis();
            long calls = work(ledger, ENGINES.get(1), threads);
            System.out.println(calls + " " + begun + " " + System.currentTimeMillis());
        }
    }

    private static void fill(Ledger ledger, int engine, int calls) {
        var job = new Job(
                ENGINES.get(engine),
                List.of(ENGINES.get(engine)),
                null,
                new TreeMap<>(),
                null,
                3,
                Job.Format.TEXT,
                Acceptance.STRICT,
                null,
                "{{text}}",
                null);
        ReceivedFile file =
                ledger.receive(new DroppedFile(job.name() + ".jsonl", job, DroppedFile.Kind.LINES, number(engine, 0)));
        var prompts = new Prompts(engine);
        List<Entry> entries = new ArrayList<>();
        for (int n = 1; n <= calls; n++) {
            var request = new Request(null, prompts.text(n), null, null, new TreeMap<>(), null, null);
            entries.add(
                    new Entry.Asking(n, n, n, null, number(engine, n), number(engine, n), Keying.WHITESPACE, request));
            if (entries.size() == CHUNK || n == calls) {
                ledger.record(file, entries);
                entries.clear();
            }
        }
        ledger.taken(file);
        ledger.archived(file);
    }

    private static byte[] number(int engine, int n) {
        return ByteBuffer.allocate(32)
                .putInt(n * 0x9E3779B9)
                .putInt(engine)
                .putInt(n)
                .array();
    }

    private static long work(Ledger ledger, String engine, int threads) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Long>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(pool.submit(() -> work(ledger, engine)));
        }
        long calls = 0;
        for (Future<Long> each : all) {
            calls += each.get();
        }
        pool.shutdown();
        return calls;
    }

    private static long work(Ledger ledger, String engine) {
        long done = 0;
        List<Call> calls;
        do {
            calls = ledger.claim(engine, TOGETHER);
            for (Call call : calls) {
                if (!ledger.sent(call)) {
                    throw new IllegalStateException("somebody else has " + call.id());
                }
                ledger.settle(call, VALID, NextStep.IN_DOUBT, REPLY);
            }
            done += calls.size();
        } while (!calls.isEmpty());
        return done;
    }
}
