package dev.oncebox.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.ConfigException;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Message Filter: lets an answer pass that its job accepts, and says of any other why not. An answer is never
 * repaired: what is delivered is what was paid for.
 *
 * <p>What an answer is checked against is what it was asked with, even when the job was changed or removed since.
 */
public final class AnswerCheck {

    private static final Set<String> CUT = Set.of("length", "max_tokens", "model_context_window_exceeded");
    private static final Set<String> REFUSED = Set.of("content_filter", "refusal");
    private static final Set<String> TOOL = Set.of("tool_calls", "tool_use", "function_call");
    private static final int LONGEST_REASON = 300;
    private static final int LONGEST_VIOLATION = 80;
    private static final int MOST_VIOLATIONS = 3;

    private final Jobs jobs;
    private final StrictJson json = new StrictJson();
    private final Map<JsonNode, AnswerSchema> schemas = new ConcurrentHashMap<>();

    /** @throws ConfigException when a job's schema is not one */
    public AnswerCheck(Jobs jobs) {
        this.jobs = jobs;
        for (Job job : jobs.all()) {
            JsonNode schema = job.schema();
            if (schema != null) {
                schemas.put(schema, AnswerSchema.compile("config/jobs/" + job.name() + "/answer.schema.json", schema));
            }
        }
    }

    /**
     * Checks an answer.
     *
     * @return the answer; for a job that wants JSON, with the JSON in place of its text
     * @throws CallFailed when the job does not accept it
     */
    public Answer check(Call call, Answer answer) throws CallFailed {
        Optional<Job> job = jobs.find(call.job());
        checkFinish(answer, job.map(Job::onLength).orElse(Job.Policy.REJECT));
        JsonNode content = answer.content();
        if (content == null || isNothing(content)) {
            if (job.map(Job::emptyAnswer).orElse(Job.Policy.REJECT) == Job.Policy.ACCEPT) {
                return with(TextNode.valueOf(""), answer);
            }
            throw unusable(
                    "empty_answer",
                    "The answer is empty. An empty answer is accepted with empty-answer=accept.",
                    answer);
        }
        JsonNode schema = schema(call, job);
        boolean wantsJson = schema != null || job.map(Job::answer).orElse(Job.Format.TEXT) == Job.Format.JSON;
        if (wantsJson && content.isTextual()) {
            content = parsed(content.textValue(), answer);
        }
        if (schema != null) {
            checkSchema(schema, content, answer);
        }
        return with(content, answer);
    }

    private static void checkFinish(Answer answer, Job.Policy onLength) throws CallFailed {
        String given = answer.finish();
        if (given == null) {
            return;
        }
        String finish = given.toLowerCase(Locale.ROOT);
        if (CUT.contains(finish) && onLength != Job.Policy.ACCEPT) {
            throw unusable(
                    "cut_off",
                    "The engine cut the answer at its length limit (" + finish
                            + "). Raise max-tokens, ask for less, or accept it with on-length=accept.",
                    answer);
        }
        if (REFUSED.contains(finish)) {
            throw unusable("refused_by_model", "The engine withheld the answer (" + finish + ").", answer);
        }
        if (finish.equals("pause_turn")) {
            throw unusable(
                    "paused", "The engine paused and waits to be asked to go on; the answer is not whole.", answer);
        }
        if (finish.equals("error")) {
            throw new CallFailed(new Verdict.Incomplete(
                    "engine_error", "The engine broke off the answer with an error.", Charged.UNKNOWN, answer.usage()));
        }
        JsonNode content = answer.content();
        if (TOOL.contains(finish) && (content == null || isNothing(content))) {
            throw unusable(
                    "tool_call", "The engine asked to call a tool instead of answering (" + finish + ").", answer);
        }
    }

    private static boolean isNothing(JsonNode content) {
        if (content.isNull() || content.isMissingNode()) {
            return true;
        }
        return content.isTextual()
                && content.textValue()
                        .codePoints()
                        .allMatch(point -> Character.isWhitespace(point) || Character.isSpaceChar(point));
    }

    /** The schema is part of the key: the one that was asked with counts, else what the job says today. */
    private static @Nullable JsonNode schema(Call call, Optional<Job> job) {
        JsonNode asked = call.request().schema();
        return asked != null ? asked : job.map(Job::schema).orElse(null);
    }

    private JsonNode parsed(String text, Answer answer) throws CallFailed {
        try {
            return json.read(text);
        } catch (StrictJson.NotJson e) {
            throw invalid("not_json", String.valueOf(e.getMessage()), answer);
        }
    }

    private void checkSchema(JsonNode schema, JsonNode content, Answer answer) throws CallFailed {
        List<String> violations = compiled(schema, answer).violations(content);
        if (violations.isEmpty()) {
            return;
        }
        var reason = new StringBuilder("The answer does not meet the schema: ");
        reason.append(String.join(
                "; ",
                violations.stream()
                        .limit(MOST_VIOLATIONS)
                        .map(violation -> Shown.clipped(violation, LONGEST_VIOLATION))
                        .toList()));
        int more = violations.size() - MOST_VIOLATIONS;
        if (more > 0) {
            reason.append("; and ").append(more).append(" more");
        }
        throw invalid("schema_mismatch", reason.toString(), answer);
    }

    private AnswerSchema compiled(JsonNode schema, Answer answer) throws CallFailed {
        try {
            return schemas.computeIfAbsent(
                    schema, source -> AnswerSchema.compile("the schema that this call was asked with", source));
        } catch (ConfigException e) {
            throw unusable("schema_mismatch", "The answer cannot be checked: " + e.getMessage(), answer);
        }
    }

    private static Answer with(JsonNode content, Answer answer) {
        return new Answer(content, answer.finish(), answer.model(), answer.usage());
    }

    /** Paid for, and not what was asked for; another attempt, within the job's, may bring a valid one. */
    private static CallFailed invalid(String code, String reason, Answer answer) {
        return new CallFailed(
                new Verdict.Incomplete(code, Shown.clipped(reason, LONGEST_REASON), Charged.YES, answer.usage()));
    }

    private static CallFailed unusable(String code, String reason, Answer answer) {
        Usage usage = answer.usage();
        return new CallFailed(new Verdict.Unusable(code, Shown.clipped(reason, LONGEST_REASON), usage));
    }
}
