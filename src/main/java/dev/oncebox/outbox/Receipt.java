package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.SettledFile;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What became of a batch, in numbers. It says nothing but what the ledger holds, so that writing it again gives the
 * same bytes.
 */
final class Receipt {

    /** Milliseconds always, and {@code Z}. */
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

    private long items;
    private long answered;
    private long failed;
    private long invalid;
    private long fresh;
    private long reused;
    private long inDoubt;
    private long variants;
    private final Map<String, Long> charged = new TreeMap<>(Map.of("new", 0L, "reused", 0L, "unknown", 0L));
    private @Nullable Long inputTokens = 0L;
    private @Nullable Long outputTokens = 0L;
    private @Nullable BigDecimal cost = BigDecimal.ZERO;
    private BigDecimal costAtLeast = BigDecimal.ZERO;
    private long firstSent = Long.MAX_VALUE;
    private long lastAnswered;
    private final ReceiptAttempts attempts = new ReceiptAttempts();
    private final SortedMap<String, Long> notes = new TreeMap<>();
    private final SortedSet<String> engines = new TreeSet<>();
    private final Map<Long, BitSet> counted = new HashMap<>();

    void add(ItemResult result) {
        Outcome outcome = result.outcome();
        Outcome.CallRecord call = outcome.call();
        items++;
        variants += outcome.variant() ? 1 : 0;
        if (result instanceof ItemResult.Answered line) {
            answered++;
            charged.merge(line.charged(), 1L, Long::sum);
            reused += outcome.fresh() ? 0 : 1;
            Outcome.StoredAnswer answer = outcome.answer();
            if (answer != null) {
                answer.notes().forEach(note -> notes.merge(note, 1L, Long::sum));
            }
        } else if (call == null) {
            invalid++;
        } else {
            failed++;
        }
        if (call == null) {
            return;
        }
        if (call.sentAt() > 0) {
            engines.add(call.engine());
            call.history().forEach(attempt -> engines.add(attempt.engine()));
            firstSent = Math.min(firstSent, call.sentAt());
        }
        if (outcome.answer() != null) {
            lastAnswered = Math.max(lastAnswered, call.doneAt());
        }
        if (outcome.fresh() && isFirst(call.id())) {
            count(call, outcome.answer() != null);
            attempts.add(outcome.id(), call, outcome.answer() != null);
        }
    }

    /** One bit a call, as a batch may have millions and their numbers lie close together. */
    private boolean isFirst(long call) {
        BitSet page = counted.computeIfAbsent(call >> 16, key -> new BitSet());
        int bit = (int) (call & 0xFFFF);
        boolean first = !page.get(bit);
        page.set(bit);
        return first;
    }

    private void count(Outcome.CallRecord call, boolean wasAnswered) {
        if (call.doubts() > 0) {
            inDoubt++;
        } else if (wasAnswered || call.attempts() > 0) {
            fresh++;
        }
        if (wasAnswered || call.attempts() > 0 || call.doubts() > 0) {
            inputTokens = sum(inputTokens, call.inputTokens());
            outputTokens = sum(outputTokens, call.outputTokens());
            BigDecimal known = cost(call);
            cost = cost == null || known == null ? null : cost.add(known);
            costAtLeast = call.cost() == null ? costAtLeast : costAtLeast.add(call.cost());
        }
    }

    /** What a call cost, all attempts together; null when an attempt was, or may have been, charged at a price unknown. */
    static @Nullable BigDecimal cost(Outcome.CallRecord call) {
        boolean allPriced =
                call.history().stream().allMatch(attempt -> attempt.charged() == Charged.NO || attempt.cost() != null);
        return call.doubts() == 0 && allPriced ? call.cost() : null;
    }

    /** A sum with an unknown part is unknown. */
    private static @Nullable Long sum(@Nullable Long a, @Nullable Long b) {
        return a == null || b == null ? null : Long.valueOf(a + b);
    }

    /**
     * Compares what the intake recorded of a file with what was added here, and that with what was written.
     *
     * @param answers lines written to the answers
     * @param errors lines written to the errors
     */
    ClosingCount close(SettledFile file, long answers, long errors) {
        return new ClosingCount()
                .check("items that the intake recorded", file.items(), items)
                .check("invalid items that the intake recorded", file.invalid(), invalid)
                .check("items that are answered, failed or invalid", items, answered + failed + invalid)
                .check("answers that are new, reused or unknown", answered, sum(charged))
                .check("lines of the answers", answered, answers)
                .check("lines of the errors", failed + invalid, errors);
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    void write(SettledFile file, ClosingCount closing, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.generator(out)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));
            json.writeStartObject();
            json.writeStringField("file", file.path());
            json.writeStringField("job", file.job());
            json.writeStringField("sha256", HexFormat.of().formatHex(file.sha256()));
            json.writeNumberField("items", items);
            json.writeNumberField("answered", answered);
            json.writeNumberField("failed", failed);
            json.writeNumberField("invalid", invalid);
            writeCounts(json, "charged", charged);
            closing.write(json);
            writeCalls(json);
            json.writeNumberField("whitespaceOnly", variants);
            writeNotes(json);
            json.writeObjectFieldStart("tokens");
            writeNumber(json, "input", inputTokens);
            writeNumber(json, "output", outputTokens);
            json.writeEndObject();
            writeNumber(
                    json,
                    "cost",
                    cost == null ? null : cost.stripTrailingZeros().toPlainString());
            if (cost == null && costAtLeast.signum() > 0) {
                writeNumber(
                        json, "costAtLeast", costAtLeast.stripTrailingZeros().toPlainString());
            }
            json.writeArrayFieldStart("engines");
            for (String engine : engines) {
                json.writeString(engine);
            }
            json.writeEndArray();
            attempts.write(json);
            json.writeStringField("received", time(file.receivedAt()));
            json.writeStringField("firstSent", firstSent == Long.MAX_VALUE ? null : time(firstSent));
            json.writeStringField("lastAnswered", lastAnswered == 0 ? null : time(lastAnswered));
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private void writeCalls(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("calls");
        json.writeNumberField("new", fresh);
        json.writeNumberField("reused", reused);
        json.writeNumberField("inDoubt", inDoubt);
        json.writeEndObject();
    }

    /** What is to be said of answers that were accepted all the same; nothing when there is nothing. */
    private void writeNotes(JsonGenerator json) throws IOException {
        if (!notes.isEmpty()) {
            writeCounts(json, "notes", notes);
        }
    }

    private static void writeCounts(JsonGenerator json, String name, Map<String, Long> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> count : counts.entrySet()) {
            json.writeNumberField(count.getKey(), count.getValue());
        }
        json.writeEndObject();
    }

    static void writeNumber(JsonGenerator json, String name, @Nullable Object number) throws IOException {
        json.writeFieldName(name);
        json.writeRawValue(String.valueOf(number));
    }

    private static String time(long millis) {
        return TIME.format(Instant.ofEpochMilli(millis));
    }
}
