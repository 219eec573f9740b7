package dev.oncebox.stub;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.Npm;
import dev.oncebox.ShellCommand;
import dev.oncebox.ShellCommand.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stub as OpenAI's own client sees it: were its replies no good, that client would say so. */
class OpenAiClientIT {

    /** The last major version that runs on the Node.js of the last three years. */
    private static final String CLIENT = "openai@6.49.0";

    private static final String COMPILER = "typescript@7.0.2";
    private static final String SCRIPT = "openai-client.mjs";

    @TempDir
    private Path folder;

    @Test
    void the_official_client_reads_what_the_stub_says() throws IOException {
        Npm.install(folder, CLIENT, COMPILER);
        try (Stub stub = Stub.start(Stub.Options.defaults());
                InputStream script = OpenAiClientIT.class.getResourceAsStream("/" + SCRIPT)) {
            Files.write(folder.resolve(SCRIPT), script.readAllBytes());

            Result result = ShellCommand.of("node", SCRIPT, stub.uri("/v1") + "")
                    .in(folder)
                    .run();

            assertThat(result.exit()).as(result.out() + result.err()).isZero();
            JsonNode seen = StubHttp.JSON.readTree(result.out());
            chatAndResponses(seen);
            files(seen);
            batches(seen);
            assertThat(stub.submissions()).containsAllEntriesOf(Map.of("a", 2, "b", 2, "c", 2));
            assertThat(stub.counts().submissions()).isEqualTo(Map.of("batches", 6L, "responses", 2L));
            assertThat(stub.charged()).containsEntry("a", 2).containsEntry("c", 2);
        }
        Result types = ShellCommand.script("node_modules/.bin/tsc --noEmit --strict --strictNullChecks false"
                        + " --skipLibCheck --module nodenext --target es2022 check.ts")
                .in(folder)
                .run();
        assertThat(types.exit()).as(types.out() + types.err()).isZero();
    }

    private static void chatAndResponses(JsonNode seen) {
        assertThat(seen.path("chat").asText()).isEqualTo("[call 1] A letter");
        assertThat(seen.path("queued").asText()).isEqualTo("queued");
        assertThat(seen.at("/response/status").asText()).isEqualTo("completed");
        assertThat(seen.at("/response/usage/total_tokens").asInt()).isPositive();
        assertThat(seen.path("text").asText()).endsWith("A letter");
        assertThat(seen.path("cancelled").asText()).isEqualTo("cancelled");
        assertThat(seen.path("limited").asText()).isEqualTo("RateLimitError 429 rate_limit_exceeded");
    }

    private static void files(JsonNode seen) {
        assertThat(seen.at("/file/filename").asText()).isEqualTo("in.jsonl");
        assertThat(seen.at("/file/purpose").asText()).isEqualTo("batch");
        assertThat(seen.path("input").asBoolean())
                .as("the file came back as it went")
                .isTrue();
        assertThat(seen.path("deleted").asBoolean()).isTrue();
        assertThat(seen.path("files").toString()).contains("batch_output");
    }

    private static void batches(JsonNode seen) {
        assertThat(seen.at("/created/status").asText()).isEqualTo("validating");
        assertThat(seen.path("statuses").toString()).isEqualTo("[\"validating\",\"in_progress\",\"completed\"]");
        assertThat(seen.at("/batch/metadata/key").asText()).isEqualTo("ours");
        assertThat(seen.at("/batch/request_counts/completed").asInt()).isEqualTo(2);
        assertThat(seen.path("output").findValuesAsText("custom_id")).containsExactlyInAnyOrder("a", "c");
        assertThat(seen.path("output").findValuesAsText("content")).anyMatch(text -> text.endsWith("Another letter ä"));
        assertThat(seen.at("/errors/0/custom_id").asText()).isEqualTo("b");
        assertThat(seen.at("/errors/0/response/status_code").asInt()).isEqualTo(400);
        assertThat(seen.path("listed")).hasSize(2);
        assertThat(seen.path("newestFirst").asBoolean()).isTrue();
        assertThat(seen.path("missing").asText()).isEqualTo("NotFoundError 404 null");
    }
}
