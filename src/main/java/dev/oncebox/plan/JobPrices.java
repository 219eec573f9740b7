package dev.oncebox.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.sql.SqlPlan;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the calls of one job cost at its first engine, as far as that can be told before they are sent. */
final class JobPrices {

    private static final List<String> BOUNDS =
            List.of("max_tokens", "max_completion_tokens", "max_output_tokens", "num_predict");
    private static final int PER_MILLION = 6;

    private final Job job;
    private final EngineSettings engine;
    private final SqlPlan.@Nullable Lengths lengths;
    private final @Nullable Long bound;
    private final TokenCounter counter;
    private final RequestTokens tokens;

    /**
     * @param engine the job's first
     * @param lengths of the job's answers so far; null: there are none
     */
    JobPrices(Job job, EngineSettings engine, SqlPlan.@Nullable Lengths lengths) {
        this.job = job;
        this.engine = engine;
        this.lengths = lengths;
        this.bound = bound(job, engine.protocol());
        this.counter = TokenCounter.of(job.model());
        this.tokens = new RequestTokens(job, counter);
    }

    private static @Nullable Long bound(Job job, EngineSettings.Protocol protocol) {
        Long bound = BOUNDS.stream()
                .map(job.params()::get)
                .filter(Objects::nonNull)
                .filter(JsonNode::canConvertToLong)
                .map(JsonNode::longValue)
                .filter(tokens -> tokens > 0)
                .findFirst()
                .orElse(null);
        return switch (protocol) {
            case ANTHROPIC, ANTHROPIC_BATCH ->
                bound == null ? Long.valueOf(EngineSettings.ANTHROPICS_MOST_TOKENS) : bound;
            default -> bound;
        };
    }

    Job job() {
        return job;
    }

    String engine() {
        return engine.name();
    }

    /** The tokens of a request; null when they cannot be told. */
    @Nullable
    Long input(Request request) {
        return tokens.of(request);
    }

    /**
     * @param input the tokens of all of them; null: unknown
     */
    Estimate estimate(long calls, @Nullable Long input) {
        if (calls == 0) {
            return Estimate.NOTHING;
        }
        Long output = expected(calls);
        Long most = bound == null ? null : Long.valueOf(calls * bound);
        BigDecimal inputPrice = price(input, engine.inputPrice());
        return new Estimate(
                calls,
                input,
                output,
                most,
                inputPrice,
                price(output, engine.outputPrice()),
                Estimate.sum(inputPrice, price(most, engine.outputPrice())),
                setOf(counter.name()),
                setOf(reason()));
    }

    private @Nullable Long expected(long calls) {
        if (lengths == null) {
            return bound == null ? null : Long.valueOf(calls * bound);
        }
        double each = bound == null ? lengths.tokens() : Math.min(bound, lengths.tokens());
        return (long) Math.ceil(calls * each);
    }

    private @Nullable String reason() {
        if (lengths != null) {
            return "the last " + lengths.calls() + " answers of job " + job.name();
        }
        return bound == null ? null : "max-tokens of job " + job.name();
    }

    private static SortedSet<String> setOf(@Nullable String value) {
        return new TreeSet<>(Stream.ofNullable(value).toList());
    }

    private @Nullable BigDecimal price(@Nullable Long count, @Nullable BigDecimal perMillion) {
        if (count == null || perMillion == null) {
            return null;
        }
        BigDecimal share = engine.protocol().isBatch() ? engine.async().batch().price() : BigDecimal.ONE;
        return perMillion.multiply(BigDecimal.valueOf(count)).multiply(share).movePointLeft(PER_MILLION);
    }
}
