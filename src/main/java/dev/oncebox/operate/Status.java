package dev.oncebox.operate;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Pause;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How things stand, in the shape of {@code oncebox status --json}.
 *
 * @param sent every send ever started
 * @param fresh answered items that caused their call; {@code new} in JSON
 * @param reused answered items that found their call known
 * @param cost of everything certainly charged; null when a part of it is unknown
 * @param engines by name
 * @param nodes the processes that are at work
 * @param budget null while nothing is used up
 */
public record Status(
        FileCounts files,
        ItemCounts items,
        CallCounts calls,
        long sent,
        @JsonProperty("new") long fresh,
        long reused,
        @Nullable BigDecimal cost,
        Map<String, Engine> engines,
        List<Node> nodes,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Budget budget) {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    /**
     * @param taken files that were ever taken in
     * @param delivered files whose answers are in the outbox
     * @param rejected files of which nothing could be read
     */
    public record FileCounts(long taken, long delivered, long rejected) {}

    /**
     * @param failed items that could not be sent, or whose call failed for good
     */
    public record ItemCounts(long total, long answered, long failed, long pending) {}

    /**
     * @param ready waiting for their turn, or about to be sent
     * @param sent in flight
     */
    public record CallCounts(long ready, long sent, long polling, long done, long doubt, long dead) {}

    /**
     * @param breaker {@code closed}, {@code open} or {@code probing}
     * @param resumesAt when calls are sent again, ISO 8601: when the breaker lets one probe, or when the first of the
     *     calls that wait for their time is due; null when nothing waits
     * @param waiting calls that wait for their time, such as the one that an endpoint asked for; left out of JSON when 0
     * @param nextDue when the first of these is due, ISO 8601; null when none waits
     * @param polling calls that it accepted and answers later; left out of JSON when 0
     * @param pollingSince when the oldest of these was sent, ISO 8601; null when there is none
     * @param reason why the breaker is not closed; null when it is
     * @param orphaned whether it is asked for these no more, since it is not configured as it was; left out when false
     */
    public record Engine(
            String breaker,
            long inFlight,
            @Nullable String resumesAt,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) long waiting,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String nextDue,

            @JsonInclude(JsonInclude.Include.NON_DEFAULT) long polling,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String pollingSince,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String reason,

            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean orphaned) {}

    /**
     * A budget that is used up.
     *
     * @param resumesAt when the next period begins, ISO 8601; null: with the next run
     */
    public record Budget(String reason, @Nullable String resumesAt) {}

    /**
     * @param started ISO 8601
     * @param lease until when it has said to be alive, ISO 8601
     */
    public record Node(long id, String host, long pid, String started, String lease) {}

    static Status of(Figures figures, long rejected, Collection<String> engineNames, Collection<String> polled) {
        Map<String, Engine> engines = new TreeMap<>();
        engineNames.forEach(name -> engines.put(name, engine(name, figures, polled)));
        figures.inFlight().keySet().forEach(name -> engines.put(name, engine(name, figures, polled)));
        figures.accepted().keySet().forEach(name -> engines.put(name, engine(name, figures, polled)));
        return new Status(
                new FileCounts(figures.taken(), figures.delivered(), rejected),
                new ItemCounts(figures.items(), figures.answered(), figures.failed(), figures.pending()),
                new CallCounts(
                        figures.calls(CallState.READY) + figures.calls(CallState.CLAIMED),
                        figures.calls(CallState.SENT),
                        figures.calls(CallState.POLLING),
                        figures.calls(CallState.DONE),
                        figures.calls(CallState.DOUBT),
                        figures.calls(CallState.DEAD)),
                figures.sends(),
                figures.fresh(),
                figures.reused(),
                figures.cost(),
                Collections.unmodifiableMap(engines),
                figures.nodes().stream()
                        .map(node -> new Node(
                                node.id(), node.host(), node.pid(), Times.iso(node.started()), Times.iso(node.lease())))
                        .toList(),
                budget(figures.pauses().get(Pause.BUDGET)));
    }

    private static Engine engine(String name, Figures figures, Collection<String> polled) {
        Pause pause = figures.pauses().get(name);
        Figures.Waiting waiting = figures.waiting().getOrDefault(name, new Figures.Waiting(0, 0, 0));
        Figures.Accepted accepted = figures.accepted().get(name);
        long resumes = pause != null ? pause.until() : waiting.due() == 0 ? waiting.next() : 0;
        return new Engine(
                pause == null || !pause.isBroken()
                        ? "closed"
                        : pause.state().name().toLowerCase(Locale.ROOT),
                figures.inFlight().getOrDefault(name, 0L),
                resumes == 0 ? null : Times.iso(resumes),
                waiting.later(),
                waiting.next() == 0 ? null : Times.iso(waiting.next()),
                accepted == null ? 0 : accepted.calls(),
                accepted == null ? null : Times.iso(accepted.since()),
                pause == null ? null : pause.reason(),
                accepted != null && !polled.contains(name));
    }

    private static @Nullable Budget budget(@Nullable Pause pause) {
        return pause == null ? null : new Budget(pause.reason(), pause.until() == 0 ? null : Times.iso(pause.until()));
    }

    /** On one line, for programs. */
    public String json() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** On a few lines, for people. */
    public String text() {
        return StatusText.of(this);
    }
}
