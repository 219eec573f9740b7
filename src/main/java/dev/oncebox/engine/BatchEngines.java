package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Exchange;
import org.apache.hc.core5.http.HttpEntity;
import org.jspecify.annotations.Nullable;

/**
 * Engines that take calls together, as the batch routes use them: {@link #prepare} and {@link #submit} send a batch,
 * {@link #ask} looks how far it is, {@link #results} and {@link #read} take its results apart.
 */
public final class BatchEngines {

    private static final String LINES = "lines";
    private static final String UPLOAD = "upload";
    private static final String RESULTS = "results";

    private final Engines engines;
    private final Batches batches;
    private final Capacity capacity;
    private final Clock clock;
    private final Set<String> strangers = ConcurrentHashMap.newKeySet();
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    public BatchEngines(Engines engines, Batches batches, Capacity capacity, Clock clock) {
        this.engines = engines;
        this.batches = batches;
        this.capacity = capacity;
        this.clock = clock;
    }

    /** Writes the calls as the provider wants them and uploads them, which costs nothing. What has no room stays behind. */
    public void prepare(Exchange exchange) throws CallFailed {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        Engine engine = engines.engine(batch.engine());
        BatchLines made = BatchLines.of(engine, batch);
        if (!made.rest().isEmpty()) {
            batches.leave(batch, made.rest());
            capacity.giveBack(batch.engine(), made.rest().size());
            exchange.setVariable(Variables.BATCH, batch.with(made.calls()));
        }
        if (made.misfit() != null) {
            throw made.misfit();
        }
        exchange.setVariable(LINES, made.lines());
        exchange.setVariable(UPLOAD, upload(engine, batch, made.lines()));
        CrashPoint.AFTER_UPLOAD.reach();
    }

    /** The id of the uploaded file; null where the protocol wants none. Whatever fails here has cost nothing. */
    private @Nullable String upload(Engine engine, Batch batch, List<byte[]> lines) throws CallFailed {
        URI uploads = engine.batches().uploads(engine.bare());
        if (uploads == null) {
            return null;
        }
        HttpEntity body = engine.batches().upload(batch.handle(), lines);
        Observed observed = engines.wire(engine).post(engine.whole(uploads), engine.headers(uploads), body);
        String id = id(observed);
        if (id != null) {
            return id;
        }
        Verdict verdict = engine.judge(observed, clock.instant());
        if (verdict instanceof Verdict.Refused || verdict instanceof Verdict.Unsent) {
            throw new CallFailed(verdict);
        }
        boolean said = verdict instanceof Verdict.Unknown;
        throw new CallFailed(new Verdict.Unsent(
                "upload_failed",
                "The calls could not be uploaded, which costs nothing: "
                        + (said ? ((Verdict.Failure) verdict).reason() : "the reply names no file.")));
    }

    /** Submits the batch: the moment that costs money. */
    @SuppressWarnings("unchecked") // prepare made the lines
    public void submit(Exchange exchange) throws CallFailed {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        Engine engine = engines.engine(batch.engine());
        HttpEntity body = engine.batches()
                .submission(
                        batch.handle(),
                        exchange.getVariable(LINES, List.class),
                        exchange.getVariable(UPLOAD, String.class));
        Map<String, String> headers = engine.headers(engine.bare());
        if (!engine.settings().idempotencyHeader().isEmpty()) {
            headers.put(engine.settings().idempotencyHeader(), batch.handle());
        }
        Observed observed = engines.wire(engine).post(engine.settings().url(), headers, body);
        if (observed instanceof Observed.Response response) {
            exchange.setVariable(Variables.REPLY, engine.reply(response, engine.withoutSecrets(response.body())));
            engine.gate().heard(response.headers(), clock.instant());
        }
        exchange.setVariable(Variables.VERDICT, submitted(engine, observed, clock.instant()));
    }

    private static Verdict submitted(Engine engine, Observed observed, Instant now) throws CallFailed {
        if (!(observed instanceof Observed.Response response) || !isSuccess(response)) {
            throw new CallFailed(engine.judge(observed, now));
        }
        String id = id(observed);
        if (id == null) {
            throw new CallFailed(
                    new Verdict.Unknown("unreadable_acceptance", "The reply to the submission names no batch.", false));
        }
        String said = engine.batches()
                .progress(Objects.requireNonNull(Json.tree(response.body())))
                .said();
        return new Verdict.Accepted(
                engine.bare() + "/" + id,
                said.isEmpty() ? "accepted" : said,
                Question.pause(engine.settings().async(), response, now));
    }

    private static boolean isSuccess(Observed.Response response) {
        return response.status() >= 200 && response.status() < 300;
    }

    private static @Nullable String id(Observed observed) {
        boolean whole = observed instanceof Observed.Response response && isSuccess(response) && response.cut() == null;
        JsonNode reply = whole ? Json.tree(((Observed.Response) observed).body()) : null;
        String id = reply == null ? "" : reply.path("id").asText();
        return JobAddress.isId(id) ? id : null;
    }

    /** Asks how far a batch is, or looks for it, and fetches the results of one that has ended. */
    public void ask(Exchange exchange) throws CallFailed {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        Engine engine = engines.engine(batch.engine());
        Wire wire = engines.wire(engine);
        Call.Remote remote = batch.remote();
        if (remote == null) {
            exchange.setVariable(
                    Variables.VERDICT, new BatchSearch(engine, wire, batches, strangers, missed, clock).look(batch));
            return;
        }
        URI address = URI.create(remote.address());
        Observed observed = wire.get(engine.whole(address), engine.headers(address));
        CrashPoint.AFTER_ASKING.reach();
        Verdict verdict = new Question(engine.settings().async(), engine.batches()::progress, remote, clock.instant())
                .judge(observed);
        if (verdict == null) {
            verdict = ended(exchange, engine, wire, (Observed.Response) observed);
        } else if (verdict instanceof Verdict.Failure) {
            throw new CallFailed(verdict);
        }
        exchange.setVariable(Variables.VERDICT, verdict);
    }

    /** Until every call has its end the batch is asked for; what it says then is the same. */
    private Verdict ended(Exchange exchange, Engine engine, Wire wire, Observed.Response response) {
        Batch batch = exchange.getVariable(Variables.BATCH, Batch.class);
        JsonNode reply = Objects.requireNonNull(Json.tree(response.body()));
        String said = engine.batches().progress(reply).said();
        try {
            exchange.setVariable(RESULTS, BatchResults.fetch(engine, wire, batches, batch, reply));
            return new Verdict.Running(said, true, engine.settings().async().poll());
        } catch (IOException e) {
            return new Verdict.Running(
                    said + ", but its results could not be fetched: " + e.getMessage() + ".",
                    false,
                    engine.settings().async().poll());
        }
    }

    /** The results of the calls that have no end yet; none while the batch has none. */
    public Iterator<BatchResults.Result> results(Exchange exchange) {
        BatchResults results = exchange.getVariable(RESULTS, BatchResults.class);
        return results == null ? List.<BatchResults.Result>of().iterator() : results;
    }

    /** Makes of one result what a reply to its call alone would have been. */
    public void read(Exchange exchange) throws CallFailed {
        BatchResults.Result result = exchange.getMessage().getBody(BatchResults.Result.class);
        exchange.setVariable(Variables.CALL, result.call());
        exchange.removeVariable(Variables.VERDICT); // the batch's
        CrashPoint.IN_RESULTS.reach();
        Observed.Response response = result.response();
        if (response == null) {
            throw new CallFailed(Objects.requireNonNull(result.verdict()));
        }
        Engine engine = engines.engine(result.call().engine());
        Verdict verdict = engine.judge(result.call(), response, clock.instant());
        if (verdict instanceof Verdict.Valid valid) {
            exchange.setVariable(Variables.REPLY, engine.reply(response, response.body()));
            exchange.setVariable(Variables.ANSWER, valid.answer());
            return;
        }
        byte[] shown = engine.withoutSecrets(response.body());
        exchange.setVariable(Variables.REPLY, engine.reply(response, shown));
        throw new CallFailed(verdict);
    }
}
