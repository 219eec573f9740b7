package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.engine.BatchProtocol.Listed;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Batches;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a batch of which nobody knows whether it was submitted, in the provider's own list. It is believed that
 * there is none only when the list was read to before the submission, and no earlier than {@code lost-after}: a batch
 * may take a moment to show.
 *
 * <p>Where the provider keeps no handle of ours, a batch of the right time and size is ours when its results speak of
 * our calls; until it has results it may be.
 */
final class BatchSearch {

    /** The clocks of two machines differ. */
    private static final Duration SLACK = Duration.ofMinutes(10);

    private static final int MOST_PAGES = 1000;

    private final Engine engine;
    private final Wire wire;
    private final Batches batches;
    private final Set<String> strangers;
    private final Clock clock;

    /**
     * @param strangers which batches of the list were found not to be one of ours; more are added
     */
    BatchSearch(Engine engine, Wire wire, Batches batches, Set<String> strangers, Clock clock) {
        this.engine = engine;
        this.wire = wire;
        this.batches = batches;
        this.strangers = strangers;
        this.clock = clock;
    }

    private enum Ours {
        YES,
        MAYBE,
        NO
    }

    /**
     * Where it is, or that it may yet be found.
     *
     * @throws CallFailed when there is none
     */
    Verdict look(Batch batch) throws CallFailed {
        long earliest = (batch.sentAt() - SLACK.toMillis()) / 1000;
        Set<String> others = new HashSet<>(batches.addresses(batch.engine()));
        Set<String> keys = batches.keys(batch);
        boolean maybe = false;
        String after = null;
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode list = page(after);
            if (list == null) {
                return again("Its submission brought no reply, and the list of batches cannot be read.");
            }
            for (JsonNode each : list.path("data")) {
                Listed listed = engine.batches().listed(each);
                if (!JobAddress.isId(listed.id())) {
                    continue;
                }
                after = listed.id();
                if (listed.created() < earliest) {
                    return notFound(batch, maybe);
                }
                String address = engine.bare() + "/" + listed.id();
                boolean known = others.contains(address) || strangers.contains(stranger(batch, listed.id()));
                Ours ours = known ? Ours.NO : isOurs(batch, keys, listed, each);
                if (ours == Ours.YES) {
                    return new Verdict.Accepted(address, "found again", Duration.ZERO);
                }
                maybe |= ours == Ours.MAYBE;
            }
            if (!list.path("has_more").asBoolean() || list.path("data").isEmpty()) {
                return notFound(batch, maybe);
            }
        }
        return again("Its submission brought no reply, and the list of batches does not end.");
    }

    private @Nullable JsonNode page(@Nullable String after) {
        String query = engine.settings().url().getRawQuery();
        URI list =
                URI.create(engine.bare() + "?" + engine.batches().listing(after) + (query == null ? "" : "&" + query));
        Observed observed = wire.get(list, engine.headers(list));
        boolean read =
                observed instanceof Observed.Response response && response.status() == 200 && response.cut() == null;
        JsonNode page = read ? Json.tree(((Observed.Response) observed).body()) : null;
        return page != null && page.path("data").isArray() ? page : null;
    }

    private Ours isOurs(Batch batch, Set<String> keys, Listed listed, JsonNode each) {
        if (listed.handle() != null) {
            return listed.handle().equals(batch.handle()) ? Ours.YES : Ours.NO;
        }
        if (listed.calls() != keys.size()) {
            return Ours.NO;
        }
        return listed.ended() ? speaksOf(batch, keys, each) : Ours.MAYBE;
    }

    /** Every batch has calls of its own, so that one line tells. */
    private Ours speaksOf(Batch batch, Set<String> keys, JsonNode listed) {
        List<URI> results = engine.batches().results(engine.bare(), listed);
        try (BatchFiles files = BatchFiles.fetch(engine, wire, results)) {
            String line = files.next();
            JsonNode read = line == null ? null : BatchResults.tree(line);
            boolean ours =
                    read != null && keys.contains(engine.batches().read(read).key());
            if (!ours) {
                strangers.add(
                        engine.bare() + "/" + engine.batches().listed(listed).id());
            }
            return ours ? Ours.YES : Ours.NO;
        } catch (IOException e) {
            return Ours.MAYBE;
        }
    }

    /** What is not this batch may still be another one of ours that is looked for. */
    private static String stranger(Batch batch, String id) {
        return batch.handle() + " " + id;
    }

    private Verdict notFound(Batch batch, boolean maybe) throws CallFailed {
        Duration since = Duration.ofMillis(clock.millis() - batch.sentAt());
        if (maybe || since.compareTo(engine.settings().async().lostAfter()) < 0) {
            return again("Its submission brought no reply, and the list of batches does not show it yet.");
        }
        throw new CallFailed(new Verdict.Unknown(
                "batch_not_found",
                "Its submission brought no reply, and after " + since.toSeconds()
                        + " s the provider's list of batches does not show it.",
                false));
    }

    private Verdict again(String said) {
        return new Verdict.Running(said, false, engine.settings().async().poll());
    }
}
