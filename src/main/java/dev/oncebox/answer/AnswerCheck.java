package dev.oncebox.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.ConfigException;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Acceptance.Policy;
import dev.oncebox.job.Acceptance.Wrapping;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Note;
import dev.oncebox.ledger.Shown;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Message Filter: lets an answer pass that its job accepts, and says of any other why not. An answer is never
 * repaired: what is delivered is what was paid for, but for what the job's {@code unwrap} takes off around it.
 *
 * <p>What an answer is checked against is what it was asked with, even when the job was changed or removed since.
 */
public final class AnswerCheck {

    private static final Set<String> CUT = Set.of("length", "max_tokens", "model_context_window_exceeded");
    private static final Set<String> REFUSED = Set.of("content_filter", "refusal");
    private static final Set<String> TOOL = Set.of("tool_calls", "tool_use", "function_call");
    private static final int LONGEST_REASON = 300;
    private static final int LONGEST_REFUSAL = 200;
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
     * @return the answer; for a job that wants JSON, with the JSON in place of its text; with a note where a policy of
     *     the job let it pass
     * @throws CallFailed when the job does not accept it
     */
    public Answer check(Call call, Answer answer) throws CallFailed {
        Optional<Job> job = jobs.find(call.job());
        Acceptance accepts = job.map(Job::accepts).orElse(Acceptance.STRICT);
        Note note = Note.both(promptCut(call, answer, accepts), cutOff(answer, accepts));
        Note refused = refused(answer, accepts);
        checkFinish(answer);
        JsonNode content = declined(answer) ? TextNode.valueOf(answer.refusal()) : answer.content();
        JsonNode schema = schema(call, job);
        boolean wantsJson =
                schema != null || isMade(call) && job.map(Job::answer).orElse(Job.Format.TEXT) == Job.Format.JSON;
        Set<Wrapping> taken = Set.of();
        if (!wantsJson && content != null && content.isTextual()) {
            Unwrapped<String> text = Unwrapped.text(content.textValue(), accepts.unwrap());
            content = TextNode.valueOf(text.inside());
            taken = text.taken();
        }
        if (content == null || isNothing(content)) {
            if (accepts.empty() != Policy.ACCEPT) {
                throw unusable(
                        "empty_answer",
                        "The answer is empty. An empty answer is accepted with empty-answer=accept.",
                        answer);
            }
            note = Note.both(note, new Note("empty_answer", "The answer is empty."));
            return answer.accepted(TextNode.valueOf(""), noted(note, refused, taken));
        }
        if (wantsJson && content.isTextual()) {
            Unwrapped<JsonNode> value = parsed(content.textValue(), accepts.unwrap(), refused, answer);
            content = value.inside();
            taken = value.taken();
        }
        if (schema != null) {
            checkSchema(schema, content, answer);
        }
        return answer.accepted(content, noted(note, refused, taken));
    }

    private static @Nullable Note noted(@Nullable Note first, @Nullable Note refused, Set<Wrapping> taken) {
        Note unwrapped = taken.isEmpty()
                ? null
                : new Note("unwrapped", "Taken off around the answer: " + Unwrapped.written(taken) + ".");
        return Note.both(Note.both(first, refused), unwrapped);
    }

    private static @Nullable Note promptCut(Call call, Answer answer, Acceptance accepts) throws CallFailed {
        String seen = PromptCut.seen(call.request(), answer.usage());
        if (seen != null && accepts.cutPrompt() != Policy.ACCEPT) {
            throw unusable("prompt_cut", seen + " Answers to it are accepted with on-prompt-cut=accept.", answer);
        }
        return seen == null ? null : new Note("prompt_cut", seen);
    }

    private static @Nullable Note cutOff(Answer answer, Acceptance accepts) throws CallFailed {
        String finish = finish(answer);
        if (!CUT.contains(finish)) {
            return null;
        }
        String reason = "The engine cut the answer at its length limit (" + finish + ").";
        if (accepts.cutOff() != Policy.ACCEPT) {
            throw unusable(
                    "cut_off", reason + " Raise max-tokens, ask for less, or accept it with on-length=accept.", answer);
        }
        return new Note("cut_off", reason);
    }

    private static @Nullable Note refused(Answer answer, Acceptance accepts) throws CallFailed {
        boolean declined = declined(answer);
        if (!declined && !REFUSED.contains(finish(answer))) {
            return null;
        }
        String reason = declined
                ? "The model declined: " + Shown.quoted(String.valueOf(answer.refusal()), LONGEST_REFUSAL)
                : "The engine withheld the answer, or a part of it (" + finish(answer) + ").";
        if (accepts.refusal() != Policy.ACCEPT) {
            throw unusable("refused_by_model", reason, answer);
        }
        return new Note("refused_by_model", reason);
    }

    /** Whether the engine gives a refusal apart, and no answer. */
    private static boolean declined(Answer answer) {
        return answer.refusal() != null && hasNothing(answer);
    }

    private static boolean hasNothing(Answer answer) {
        return answer.content() == null || isNothing(answer.content());
    }

    private static String finish(Answer answer) {
        return answer.finish() == null ? "" : answer.finish().toLowerCase(Locale.ROOT);
    }

    private static void checkFinish(Answer answer) throws CallFailed {
        String finish = finish(answer);
        if (finish.equals("pause_turn")) {
            throw unusable(
                    "paused", "The engine paused and waits to be asked to go on; the answer is not whole.", answer);
        }
        if (finish.equals("error")) {
            throw new CallFailed(new Verdict.Incomplete(
                    "engine_error", "The engine broke off the answer with an error.", Charged.UNKNOWN, answer.usage()));
        }
        if (TOOL.contains(finish) && answer.refusal() == null && hasNothing(answer)) {
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
        return asked != null || !isMade(call) ? asked : job.map(Job::schema).orElse(null);
    }

    /** Whether the request was made by the job; a whole body says itself what answer it wants. */
    private static boolean isMade(Call call) {
        return call.request().passed() == null;
    }

    private Unwrapped<JsonNode> parsed(String text, Set<Wrapping> allowed, @Nullable Note refused, Answer answer)
            throws CallFailed {
        try {
            return Unwrapped.json(json, text, allowed);
        } catch (StrictJson.NotJson e) {
            if (refused != null) {
                throw unusable(refused.code(), refused.reason() + " It is no JSON, which the job wants.", answer);
            }
            String advice = advice(text, allowed);
            throw invalid("not_json", advice == null ? String.valueOf(e.getMessage()) : advice, answer);
        }
    }

    /** Which policy would have found JSON; null when none would. */
    private @Nullable String advice(String text, Set<Wrapping> allowed) {
        try {
            Set<Wrapping> around =
                    Unwrapped.json(json, text, Unwrapped.ANYTHING).taken();
            Set<Wrapping> needed = EnumSet.copyOf(around);
            needed.addAll(allowed);
            return "The JSON stands " + Unwrapped.place(around) + "; unwrap=" + Unwrapped.written(needed)
                    + " would accept it. The answer starts with " + Shown.quoted(text, LONGEST_VIOLATION);
        } catch (StrictJson.NotJson e) {
            return null;
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
