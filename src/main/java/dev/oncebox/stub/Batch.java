package dev.oncebox.stub;

import dev.oncebox.stub.BatchLine.End;
import dev.oncebox.stub.BatchLine.Outcome;
import dev.oncebox.stub.Progress.Look;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Many calls taken on together. A directive in any line may have words for the whole batch. */
final class Batch {

    private final String id;
    private final String face;
    private final Face manner;
    private final int size;
    private final Later later;
    private final Progress progress;
    private final Submissions submissions;
    private final Instant created = Instant.now();
    private final Troubles download;
    private final Troubles listing;
    private int listed;
    private @Nullable Instant cancelled;
    private @Nullable Instant ended;
    private List<BatchLine> lines;
    private List<Outcome> outcomes = List.of();
    private final Map<End, Long> counts = new EnumMap<>(End.class);

    /** @param face under which its lines are counted as submitted */
    Batch(String id, String face, Face manner, List<BatchLine> lines, Submissions submissions) {
        this.id = id;
        this.face = face;
        this.manner = manner;
        this.lines = lines;
        this.size = lines.size();
        this.later = Later.of(lines.stream().map(line -> line.step().later()).toList());
        this.progress = new Progress(later, "batch-");
        this.download = new Troubles(later.troubles("batch-content"));
        this.listing = new Troubles(later.troubles("list"));
        this.submissions = submissions;
    }

    String id() {
        return id;
    }

    Later later() {
        return later;
    }

    int size() {
        return size;
    }

    Instant created() {
        return created;
    }

    /** What goes wrong with the reply to its creation; a good step if nothing does. */
    Step creation() {
        List<Step> asked = later.troubles("create");
        for (String how : new String[] {"reset", "close", "hang"}) {
            if (later.is("create-" + how)) {
                asked = new Later(Map.of("create", how)).troubles("create");
            }
        }
        return asked.isEmpty() ? Step.GOOD : asked.get(0);
    }

    /** The lines count as submitted from here on. */
    synchronized void start() {
        lines.forEach(line -> submissions.start(face, line.customId()));
    }

    Troubles download() {
        return download;
    }

    /** What goes wrong with a listing that this batch would be in. */
    static Step listingTrouble(Stream<Batch> batches) {
        return batches.map(batch -> batch.listing.next())
                .filter(step -> step != Step.GOOD)
                .findFirst()
                .orElse(Step.GOOD);
    }

    void release() {
        progress.release();
    }

    Look look() {
        return progress.look();
    }

    int polls() {
        return progress.polls();
    }

    /** Whether it is in a listing that begins at the newest; each such listing counts. */
    synchronized boolean isListed() {
        return ++listed > later.number("list-lag");
    }

    synchronized @Nullable Instant cancelled() {
        return cancelled;
    }

    /** False when it had ended before. */
    synchronized boolean cancel() {
        if (ended() != null) {
            return cancelled != null;
        }
        cancelled = Instant.now();
        end(true);
        return true;
    }

    /** When it ended, or null while it goes on. Whoever asks first after its time has it worked on. */
    synchronized @Nullable Instant ended() {
        if (ended == null && progress.ready()) {
            end(false);
        }
        return ended;
    }

    synchronized boolean expired() {
        return cancelled == null && later.is("batch-expired");
    }

    /** What became of the lines, in no order; empty while it goes on, and once it was forgotten. */
    synchronized List<Outcome> outcomes() {
        return outcomes;
    }

    /** Lets go of what became of the lines; only {@link #count} still knows. */
    synchronized void forget() {
        outcomes = List.of();
    }

    synchronized long count(End end) {
        return counts.getOrDefault(end, 0L);
    }

    synchronized long outcomesCounted() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    private void end(boolean early) {
        int most = early || later.is("batch-expired") ? later.number("batch-expired") : lines.size();
        List<Outcome> all = new ArrayList<>(lines.size());
        for (BatchLine line : lines) {
            if (all.size() >= most) {
                all.add(line.without(early ? End.CANCELLED : End.EXPIRED));
                continue;
            }
            Outcome outcome = line.answered(manner);
            all.add(outcome);
            if (outcome.end() == End.DONE) {
                submissions.charge(face, line.customId());
            }
        }
        outcomes = List.copyOf(shuffled(spoiled(all)));
        outcomes.forEach(outcome -> counts.merge(outcome.end(), 1L, Long::sum));
        lines = List.of();
        ended = Instant.now();
    }

    private List<Outcome> spoiled(List<Outcome> all) {
        List<Outcome> done =
                all.stream().filter(outcome -> outcome.end() == End.DONE).toList();
        List<Outcome> spoiled = new ArrayList<>(all);
        int missing = Math.min(later.number("batch-missing"), done.size());
        spoiled.removeAll(done.subList(0, missing));
        int twice = Math.min(later.number("batch-double"), done.size() - missing);
        spoiled.addAll(done.subList(missing, missing + twice));
        for (int i = 0; i < later.number("batch-unknown") && !done.isEmpty(); i++) {
            spoiled.add(
                    new Outcome("stub-unknown-" + i, End.DONE, 200, done.get(0).body()));
        }
        return spoiled;
    }

    /** The answered lines are never in the order they came in, if there are two. */
    private List<Outcome> shuffled(List<Outcome> all) {
        List<Outcome> shuffled = new ArrayList<>(all);
        Collections.shuffle(shuffled, new Random(id.hashCode()));
        if (answered(shuffled).equals(answered(all))) {
            Collections.reverse(shuffled);
        }
        return shuffled;
    }

    private static List<String> answered(List<Outcome> outcomes) {
        return outcomes.stream()
                .filter(outcome -> outcome.end() == End.DONE)
                .map(Outcome::customId)
                .toList();
    }
}
