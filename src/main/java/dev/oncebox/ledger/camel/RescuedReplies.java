package dev.oncebox.ledger.camel;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.CrashPoint;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.NextStep;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records, at a start, the answers that an earlier process could only put beside its ledger, so that they are not
 * bought again. Only whole answers are taken, and only for a call whose very send is still without an end; doing it
 * again changes nothing.
 */
public final class RescuedReplies {

    private static final Logger LOG = LoggerFactory.getLogger(RescuedReplies.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private RescuedReplies() {}

    /** Takes the answer out of a reply, by the same rules as when it had just come. */
    @FunctionalInterface
    public interface Reading {
        Answer answer(Call call, Reply reply) throws CallFailed;
    }

    /** All that is kept in a folder, by whichever of the nodes that use it; otherwise as {@link #record}. */
    public static int recordAll(Path folder, Ledger ledger, Reading reading) throws IOException {
        int recorded = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "rescued*.jsonl")) {
            for (Path file : files) {
                recorded += record(file, ledger, reading);
            }
        }
        return recorded;
    }

    /**
     * To be called before the ledger is told to recover, which puts these calls in doubt.
     *
     * @param file need not exist; it is left as it is
     * @return how many answers were recorded
     */
    public static int record(Path file, Ledger ledger, Reading reading) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        int recorded = 0;
        // torn or garbled lines are passed over: no byte of them is a reason to refuse the others
        try (var lines =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.ISO_8859_1))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                recorded += record(line, ledger, reading) ? 1 : 0;
            }
        }
        return recorded;
    }

    private static boolean record(String line, Ledger ledger, Reading reading) {
        try {
            JsonNode kept = JSON.readTree(line);
            Call call = ledger.inFlight(
                            HexFormat.of().parseHex(kept.path("key").asText()),
                            kept.path("fence").asLong(-1))
                    .orElse(null);
            if (call == null) {
                return false;
            }
            var reply = new Reply(
                    kept.path("status").asInt(),
                    Base64.getDecoder().decode(kept.path("body").asText()),
                    kept.path("requestId").textValue());
            if (kept.hasNonNull("address")) {
                var accepted = new Verdict.Accepted(kept.get("address").asText(), "accepted", Duration.ZERO);
                return ledger.settle(call, accepted, NextStep.IN_DOUBT, reply) != null;
            }
            boolean recorded = record(call, reply, kept.path("valid").asBoolean(), ledger, reading);
            CrashPoint.AFTER_RESCUE.reach();
            return recorded;
        } catch (JsonProcessingException | IllegalArgumentException | IllegalStateException e) {
            LOG.warn("A rescued reply cannot be used: {}", e.getMessage());
            return false;
        }
    }

    /** What was paid for and is of no use is not bought again either; what else it may have been stays a doubt. */
    private static boolean record(Call call, Reply reply, boolean valid, Ledger ledger, Reading reading) {
        try {
            Answer answer = reading.answer(call, reply);
            return valid && ledger.settle(call, new Verdict.Valid(answer), NextStep.IN_DOUBT, reply) != null;
        } catch (CallFailed failed) {
            var dead = new NextStep(NextStep.Kind.DEAD, false);
            return failed.verdict() instanceof Verdict.Unusable unusable
                    && ledger.settle(call, unusable, dead, reply) != null;
        }
    }
}
