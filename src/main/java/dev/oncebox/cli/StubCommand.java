package dev.oncebox.cli;

import dev.oncebox.cli.OnceboxCommand.CommandFailed;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code oncebox stub}: a model endpoint that costs nothing and counts. */
@Command(
        name = "stub",
        description = "A counting model endpoint for tests and trials: POST /v1/chat/completions, POST /v1/messages,"
                + " POST /api/chat and POST /summarize; POST /jobs, POST /v1/responses and both vendors' batches, to be"
                + " asked for later; GET /count says how many requests it accepted, GET /submissions how often each"
                + " asynchronous call was taken on and charged.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Words in a prompt make it misbehave: [[stub: 429 retry-after=1; 500]] is refused once, fails once, and",
            "is answered then. Others: delay=2s, cut, reset, close, trickle=10ms, html, empty, nobody, nochoices,",
            "error200, notjson, finish=length, refusal, hang, echo, say=; a last word \"always\" repeats a step for ever.",
            "Of what is asked for later: polls=2, ready=5s, poll=500,reset, lost, failed; batch-polls=2, batch-expired=3,",
            "create-reset. An unknown word gets the list of all."
        })
final class StubCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--port", defaultValue = "8089", description = "Default: ${DEFAULT-VALUE}; 0: any free one.")
    private int port;

    @Option(names = "--delay", defaultValue = "0ms", paramLabel = "T", description = "Before every answer.")
    private Duration delay = Duration.ZERO;

    @Option(names = "--fail", defaultValue = "0", paramLabel = "N", description = "Every Nth request gets 503.")
    private int fail;

    @Option(names = "--cut", defaultValue = "0", paramLabel = "N", description = "Every Nth answer is cut short.")
    private int cut;

    @Option(
            names = "--script",
            paramLabel = "WORDS",
            description = "For every prompt without words of its own, like 'batch-ready=1m always'.")
    private @Nullable String script;

    @Override
    public Integer call() throws CommandFailed, InterruptedException {
        try (Stub stub = Stub.start(options())) {
            spec.commandLine().getOut().println(stub.uri());
            spec.commandLine().getOut().flush();
            stub.awaitClose();
            return OnceboxCommand.DONE;
        } catch (IOException e) {
            throw new CommandFailed(String.valueOf(e.getMessage()));
        }
    }

    private Stub.Options options() {
        try {
            Stub.Options options = Stub.Options.defaults()
                    .withPort(port)
                    .withDelay(delay)
                    .withFailEvery(fail)
                    .withCutEvery(cut);
            return script == null ? options : options.withScript(script);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
