package dev.oncebox.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.JournalLine;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.sql.SqlReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What {@code oncebox status} and {@code oncebox journal} show. Changes nothing, and needs no running worker. */
public final class Reports implements AutoCloseable {

    private static final String EXPLANATION = ".error.json";

    private final SqlReports ledger;
    private final Clock clock;

    private Reports(SqlReports ledger, Clock clock) {
        this.ledger = ledger;
        this.clock = clock;
    }

    /**
     * Opens a ledger for looking at it. One that does not exist is not made.
     *
     * @throws dev.oncebox.config.ConfigException when it is there and cannot be read
     */
    public static Reports open(LedgerUrl ledger, Clock clock) {
        return new Reports(SqlReports.open(ledger), clock);
    }

    /**
     * How things stand.
     *
     * @param rejected the home's folder of files of which nothing could be read
     * @param engines the names of the configured engines
     * @param polled those of them that are asked for what they accepted
     */
    public Status status(Path rejected, Collection<String> engines, Collection<String> polled) {
        return status(rejectedFiles(rejected), engines, polled);
    }

    /** The same, for who has counted the rejected files. */
    Status status(long rejected, Collection<String> engines, Collection<String> polled) {
        return Status.of(ledger.figures(clock.millis()), rejected, engines, polled);
    }

    /** For how long a call waits that could be sent, the longest; see {@link SqlReports#oldestDue}. */
    Duration queueAge(Collection<String> engines) {
        long now = clock.millis();
        long due = ledger.oldestDue(engines, now);
        return due == 0 ? Duration.ZERO : Duration.ofMillis(now - due);
    }

    /** The same in numbers alone, which takes no longer with a large ledger than with a small one. */
    public Figures figures() {
        return ledger.figures(clock.millis());
    }

    /**
     * Writes the events of a call or a file, oldest first, one JSON object a line.
     *
     * @param keyOrFile see {@link SqlReports#journal}
     * @param out takes a line, without its line end
     * @return false when the ledger knows nothing of that name
     */
    public boolean journal(String keyOrFile, Consumer<String> out) {
        return ledger.journal(keyOrFile, line -> out.accept(json(line)));
    }

    /**
     * Writes what came back for a call, as it came and whatever it was worth, oldest first, one JSON object a line.
     *
     * @param key a call's key or at least 8 of its first digits
     * @param out takes a line, without its line end
     * @return false when the ledger knows no such call
     */
    public boolean replies(String key, Consumer<String> out) {
        return ledger.replies(key, reply -> out.accept(json(reply)));
    }

    private static String json(SqlReports.KeptReply kept) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("ts", Times.iso(kept.at()));
        json.put("attempt", kept.attempt());
        json.put("status", kept.reply().status());
        byte[] body = kept.reply().body();
        String text = new String(body, StandardCharsets.UTF_8);
        if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), body)) {
            json.put("body", text);
        } else {
            json.put("base64", body);
        }
        return json.toString();
    }

    /**
     * Gives the items of a file that have their end so far, in the file's order; see {@link SqlReports#outcomes}.
     *
     * @return false when the ledger knows no such file
     */
    public boolean outcomes(String file, Consumer<Outcome> each) {
        return ledger.outcomes(file, each);
    }

    private static String json(JournalLine line) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("ts", Times.iso(line.at()));
        json.put("key", line.key());
        json.put("event", line.event().name());
        json.put("attempt", line.attempt());
        json.put("engine", line.engine());
        json.put("detail", line.detail());
        json.put("charged", lower(line.charged()));
        if (line.cost() != null) {
            json.put("cost", line.cost());
        }
        if (line.requestId() != null) {
            json.put("requestId", line.requestId());
        }
        if (line.file() != null) {
            json.put("file", line.file());
        }
        return json.toString();
    }

    private static @Nullable String lower(@Nullable Enum<?> constant) {
        return constant == null ? null : constant.name().toLowerCase(Locale.ROOT);
    }

    static long rejectedFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        var count = new long[1];
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (!file.getFileName().toString().endsWith(EXPLANATION)) {
                        count[0]++;
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return count[0];
    }

    @Override
    public void close() {
        ledger.close();
    }
}
