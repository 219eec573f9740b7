package dev.oncebox.answer;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.job.Jobs;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Jobs on disk, calls of them, and what becomes of their answers. */
final class Checking {

    static final Usage USAGE = new Usage(null, 3L, 5L, new BigDecimal("0.25"));

    private final Path folder;

    Checking(Path folder) {
        this.folder = folder;
    }

    static String nested(int depth) {
        return "[".repeat(depth) + "]".repeat(depth);
    }

    Answer check(Call call, Answer answer) throws CallFailed {
        return new AnswerCheck(jobs()).check(call, answer);
    }

    JsonNode content(Call call, String text) throws CallFailed {
        return requireNonNull(check(call, text("stop", text)).content());
    }

    CallFailed failure(Call call, Answer answer) {
        CallFailed failed = catchThrowableOfType(CallFailed.class, () -> check(call, answer));
        assertThat(failed).isNotNull();
        return failed;
    }

    /** Why an answer was not accepted; {@code again}: another attempt may bring one. */
    record Rejection(String code, String reason, Usage usage, boolean again) {}

    Rejection unusable(Call call, Answer answer) {
        Verdict verdict = failure(call, answer).verdict();
        assertThat(verdict.charged()).isEqualTo(Charged.YES);
        if (verdict instanceof Verdict.Incomplete invalid) {
            return new Rejection(invalid.code(), invalid.reason(), invalid.usage(), true);
        }
        Verdict.Unusable unusable = (Verdict.Unusable) verdict;
        return new Rejection(unusable.code(), unusable.reason(), unusable.usage(), false);
    }

    Jobs jobs() {
        return Jobs.read(folder, Collections.singletonMap("default", null));
    }

    void job(String name, String properties) throws IOException {
        Files.createDirectories(folder.resolve(name));
        Files.writeString(folder.resolve(name).resolve("job.properties"), properties);
    }

    void schema(String name, String schema) throws IOException {
        Files.createDirectories(folder.resolve(name));
        Files.writeString(folder.resolve(name).resolve("answer.schema.json"), schema);
    }

    static Answer text(@Nullable String finish, @Nullable String content) {
        return new Answer(content == null ? null : TextNode.valueOf(content), finish, "m", USAGE);
    }

    static Call call(String job) {
        return call(job, null);
    }

    static Call call(String job, @Nullable JsonNode schema) {
        var request = new Request(null, "a", null, null, new TreeMap<>(), schema, null);
        return new Call(1, new byte[32], job, "default", 1, 0, 0, 0, 0, 0, 0, request);
    }

    static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }
}
