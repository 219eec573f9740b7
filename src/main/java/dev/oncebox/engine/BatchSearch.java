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
 * there is none only when the list was read to before the submission, for the second time and no earlier than
 * {@code lost-after}: a batch may take a moment to show, however long nobody could look.
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
    private final Set<String> missed;
    private final Clock clock;

    /**
     * @param strangers which batches of the list were found not to be one of ours; more are added
     * @param missed which of ours the list did not show; more are added
     */
    BatchSearch(Engine engine, Wire wire, Batches batches, Set<String> strangers, Set<String> missed, Clock clock) {
        this.engine = engine;
        this.wire = wire;
        this.batches = batches;
        this.strangers = strangers;
        this.missed = missed;
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
            boolean newestFirst = true;
            long newest = Long.MIN_VALUE;
            long previous = Long.MAX_VALUE;
            for (JsonNode each : list.path("data")) {
                Listed listed = engine.batches().listed(each);
                if (!JobAddress.isId(listed.id())) {
                    continue;
                }
                after = listed.id();
                newestFirst &= listed.created() <= previous;
                previous = listed.created();
                newest = Math.max(newest, previous);
                Ours ours = previous < earliest ? Ours.NO : isOurs(batch, keys, others, listed, each);
                if (ours == Ours.YES) {
                    return new Verdict.Accepted(address(listed), "found again", Duration.ZERO);
                }
                maybe |= ours == Ours.MAYBE;
            }
            if (newestFirst && newest < earliest) {
                return notFound(batch, maybe); // what follows is older still
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

    private String address(Listed listed) {
        return engine.bare() + "/" + listed.id();
    }

    private Ours isOurs(Batch batch, Set<String> keys, Set<String> others, Listed listed, JsonNode each) {
        if (others.contains(address(listed)) || strangers.contains(stranger(batch, listed))) {
            return Ours.NO;
        }
        if (listed.handle() != null) {
            return listed.handle().equals(batch.handle()) ? Ours.YES : Ours.NO;
        }
        if (listed.calls() != keys.size()) {
            return Ours.NO;
        }
        if (!listed.ended()) {
            return Ours.MAYBE;
        }
        List<URI> results = engine.batches().results(engine.bare(), each);
        if (results.isEmpty()) {
            return Ours.NO; // for now
        }
        Ours ours = speaksOf(keys, results);
        if (ours == Ours.NO) {
            strangers.add(stranger(batch, listed));
        }
        return ours;
    }

    /** Every batch has calls of its own, so that one line tells; there may be odd ones before it. */
    private Ours speaksOf(Set<String> keys, List<URI> results) {
        try (BatchFiles files = BatchFiles.fetch(engine, wire, results)) {
            for (String line = files.next(); line != null; line = files.next()) {
                JsonNode read = BatchResults.tree(line);
                if (read != null && keys.contains(engine.batches().read(read).key())) {
                    return Ours.YES;
                }
            }
            return Ours.NO;
        } catch (IOException e) {
            return Ours.MAYBE;
        }
    }

    /** What is not this batch may still be another one of ours that is looked for. */
    private static String stranger(Batch batch, Listed listed) {
        return batch.handle() + " " + listed.id();
    }

    private Verdict notFound(Batch batch, boolean maybe) throws CallFailed {
        Duration since = Duration.ofMillis(clock.millis() - batch.sentAt());
        boolean first = missed.add(batch.handle());
        if (maybe || first || since.compareTo(engine.settings().async().lostAfter()) < 0) {
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
