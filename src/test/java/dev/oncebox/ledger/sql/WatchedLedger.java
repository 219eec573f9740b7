package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Retry;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.SettledFile;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A worker on a ledger of its own, and somebody who looks at it from outside. */
final class WatchedLedger implements AutoCloseable {

    private static final Retry RETRY = new Retry(Duration.ZERO, 1, Duration.ZERO, Duration.ofHours(1));

    final Path file;
    final SqlLedger worker;
    final SqlReports reports;
    boolean resendOnDoubt;
    final Job job;

    WatchedLedger(Path folder) {
        file = folder.resolve("ledger.db");
        job = Jobs.read(folder.resolve("jobs"), Collections.singletonMap("default", null))
                .find(Jobs.DEFAULT)
                .orElseThrow();
        worker = SqlLedger.open(
                new LedgerUrl.SqliteFile(file),
                new Surroundings(
                        (name, engine) -> new Policy(2, resendOnDoubt, false, RETRY, null),
                        1,
                        Clock.systemUTC(),
                        new Random(1),
                        message -> {}));
        reports = SqlReports.open(new LedgerUrl.SqliteFile(file));
    }

    Figures figures() {
        return reports.figures(System.currentTimeMillis());
    }

    ReceivedFile receive(String path, String content) {
        return worker.receive(new DroppedFile(path, job, DroppedFile.Kind.LINES, sha256(content)));
    }

    /** Drops a file with an item for each text; null: one that cannot be read. */
    ReceivedFile drop(String path, @Nullable String... texts) {
        ReceivedFile received = receive(path, String.join("\n", texts));
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < texts.length; i++) {
            String text = texts[i];
            entries.add(
                    text == null
                            ? new Entry.Invalid(i + 1, i + 1, 0, null, "bad_json", "Not JSON.")
                            : asking(i + 1, text, sha256(text)));
        }
        worker.record(received, entries);
        worker.taken(received);
        worker.archived(received);
        return received;
    }

    static Entry asking(long n, String text, byte[] key) {
        var request = new Request(null, text, null, null, new TreeMap<>(), null, null);
        return new Entry.Asking(n, n, 0, null, key, sha256(text), Keying.WHITESPACE, request);
    }

    Call claim() {
        return worker.claim("default", 1).get(0);
    }

    void answer(String text, @Nullable String cost) {
        call(text, new Verdict.Valid(new Answer(TextNode.valueOf("A"), "stop", "m", usage(cost))));
    }

    /** Calls are due in the order in which they were made, so the next one is the one that is meant. */
    void call(String text, Verdict verdict) {
        Call call = claim();
        assertThat(call.request().text()).isEqualTo(text);
        assertThat(worker.sent(call)).isTrue();
        worker.settle(call, verdict, Steps.of(verdict), null);
    }

    void deliverAll() {
        for (SettledFile settled : worker.settled(100)) {
            worker.delivered(settled, Output.unsealed(settled.path()));
        }
    }

    static Usage usage(@Nullable String cost) {
        return new Usage(null, 1L, 1L, cost == null ? null : new BigDecimal(cost));
    }

    static String key(String text) {
        return HexFormat.of().formatHex(sha256(text));
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        reports.close();
        worker.close();
    }
}
