package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.engine.BatchProtocol.Line;
import dev.oncebox.engine.BatchProtocol.LineError;
import dev.oncebox.engine.BatchProtocol.Rest;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.Verdict.Refused.Cause;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The results of a batch that has ended, for the calls that have no end yet: first what the provider's lines say, in
 * any order, then what it means for the others that there is no line of them. A line of a call that does not wait for
 * one, a second one of the same call and one of somebody else's are passed over. One thread takes.
 */
final class BatchResults implements Iterator<BatchResults.Result>, Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(BatchResults.class);
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{64}");
    private static final int PAGE = 500;
    /** How often the wait after a refused batch is doubled. */
    private static final int LONGEST_WAIT = 4;

    private final Engine engine;
    private final Batches batches;
    private final Batch batch;
    private final BatchFiles files;
    private final Rest rest;
    private final Map<String, LineError> refused;
    private final Set<Long> seen = new HashSet<>();
    private final Deque<Result> ready = new ArrayDeque<>();
    private boolean linesEnded;
    private long last = -1;
    private boolean ended;
    private int strange;

    /**
     * What a batch says of a call.
     *
     * @param response as the provider would have answered the call alone; null: there is a verdict
     */
    record Result(
            Call call,
            Observed.@Nullable Response response,
            @Nullable Verdict verdict) {}

    private BatchResults(
            Engine engine, Batches batches, Batch batch, BatchFiles files, Rest rest, Map<String, LineError> refused) {
        this.engine = engine;
        this.batches = batches;
        this.batch = batch;
        this.files = files;
        this.rest = rest;
        this.refused = refused;
    }

    /**
     * Fetches what there is, all of it before any of it counts.
     *
     * @param reply what the provider says of the batch, which has ended
     */
    static BatchResults fetch(Engine engine, Wire wire, Batches batches, Batch batch, JsonNode reply)
            throws IOException {
        Rest rest = engine.batches().rest(reply);
        Map<String, LineError> refused = refused(engine, wire, rest, reply);
        List<URI> results = engine.batches().results(engine.bare(), reply);
        return new BatchResults(engine, batches, batch, BatchFiles.fetch(engine, wire, results), rest, refused);
    }

    /** Which calls the errors of single lines speak of: the provider names lines of the file that it was given. */
    private static Map<String, LineError> refused(Engine engine, Wire wire, Rest rest, JsonNode reply)
            throws IOException {
        URI submitted = rest.lines().isEmpty() ? null : engine.batches().submitted(engine.bare(), reply);
        if (submitted == null) {
            return Map.of();
        }
        Map<Integer, LineError> byLine = new HashMap<>();
        rest.lines().forEach(error -> byLine.putIfAbsent(error.line(), error));
        Map<String, LineError> byKey = new HashMap<>();
        try (BatchFiles file = BatchFiles.fetch(engine, wire, List.of(submitted))) {
            int n = 0;
            for (String line = file.next(); line != null; line = file.next()) {
                LineError error = byLine.get(++n);
                JsonNode read = error == null ? null : tree(line);
                if (error != null && read != null) {
                    byKey.put(engine.batches().read(read).key(), error);
                }
            }
        }
        return byKey;
    }

    static @Nullable JsonNode tree(String line) {
        return line.isBlank() ? null : Json.tree(line.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public boolean hasNext() {
        try {
            while (ready.isEmpty() && !ended) {
                advance();
            }
            return !ready.isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Result next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.remove();
    }

    /** Lets go of what was fetched; the route does so whatever becomes of the results. */
    @Override
    public void close() throws IOException {
        files.close();
    }

    private void advance() throws IOException {
        String line = linesEnded ? null : files.next();
        if (line != null) {
            take(line);
            return;
        }
        if (!linesEnded) {
            linesEnded = true;
            files.close();
            if (strange > 0) {
                LOG.info(
                        "batch {}: {} lines of its results are of no call that waits for one", batch.handle(), strange);
            }
        }
        List<Call> open = batches.open(batch, last, PAGE);
        for (Call call : open) {
            last = call.id();
            if (!seen.contains(call.id())) {
                ready.add(new Result(call, null, missing(call)));
            }
        }
        ended = open.size() < PAGE;
    }

    private void take(String text) {
        JsonNode read = tree(text);
        Line line = read == null ? null : engine.batches().read(read);
        Call call = line == null || !KEY.matcher(line.key()).matches()
                ? null
                : batches.open(batch, HexFormat.of().parseHex(line.key()));
        if (read == null || line == null || call == null || !seen.add(call.id())) {
            strange++;
            return;
        }
        JsonNode requestId = read.at("/response/request_id");
        Map<String, String> headers = requestId.isTextual() ? Map.of("x-request-id", requestId.textValue()) : Map.of();
        var response = new Observed.Response(line.status(), headers, Json.bytes(line.body()), null);
        ready.add(new Result(call, response, null));
    }

    private Verdict missing(Call call) {
        LineError error = refused.get(call.keyHex());
        if (error != null) {
            return new Verdict.Refused(error.code(), error.message(), Cause.REQUEST, null);
        }
        if (!rest.free()) {
            return new Verdict.Unknown(rest.code(), rest.reason(), false);
        }
        ErrorBody refusal = rest.refusal();
        String code = refusal == null || refusal.code() == null ? rest.code() : refusal.code();
        // all of them come back at the same time, and make one batch again; each time a while later than the last
        Duration wait = engine.settings().async().poll().multipliedBy(1L << Math.min(call.failures(), LONGEST_WAIT));
        return new Verdict.Refused(code, rest.reason(), cause(refusal), wait);
    }

    private static Cause cause(@Nullable ErrorBody refusal) {
        if (refusal != null && refusal.isAboutMoney()) {
            return Cause.ENGINE;
        }
        return refusal != null && refusal.isAboutTheEngine() ? Cause.MISFIT : Cause.BUSY;
    }
}
