package dev.oncebox.ledger.camel;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a reply goes when the ledger can no longer take it: a JSON line per reply, the body in Base64. The next start
 * reads what is beside the ledger, see {@link RescuedReplies}; the rest is there so that what was paid for is not gone.
 * Names of calls are looked up after that, and no other reply waits for it.
 */
final class Rescue {

    private static final Logger LOG = LoggerFactory.getLogger(Rescue.class);

    private final Path file;
    private final Function<Call, CallName> names;
    private @Nullable Path elsewhere;

    Rescue(Path file, Function<Call, CallName> names) {
        this.file = file;
        this.names = names;
    }

    void keep(Call call, Verdict verdict, @Nullable Reply reply) {
        if (reply == null || verdict instanceof Verdict.Running) {
            return;
        }
        String address = verdict instanceof Verdict.Accepted accepted ? accepted.address() : "";
        String line = "{\"key\":\"" + call.keyHex() + "\",\"fence\":" + call.fence() + ",\"engine\":\"" + call.engine()
                + "\",\"charged\":\"" + verdict.charged() + "\",\"valid\":" + (verdict instanceof Verdict.Valid)
                + (address.isEmpty() ? "" : ",\"address\":" + TextNode.valueOf(address))
                + (reply.requestId() == null ? "" : ",\"requestId\":" + TextNode.valueOf(reply.requestId()))
                + ",\"status\":" + reply.status() + ",\"body\":\""
                + Base64.getEncoder().encodeToString(reply.body()) + "\"}\n";
        Path kept = put(line);
        if (kept == null) {
            new CallName(call.keyHex(), null)
                    .in(LOG.atError())
                    .log(
                            "The reply to {} could not be recorded, nor written to a file. It is: {}",
                            call.keyHex(),
                            line);
            return;
        }
        CallName name = names.apply(call);
        name.in(LOG.atError())
                .log(
                        "The reply to {} could not be recorded; it is kept in {}{}",
                        name,
                        kept,
                        kept.equals(file)
                                ? ""
                                : ". Put that beside the ledger, as " + file.getFileName()
                                        + ", before the next start.");
    }

    /** Where it is now; null: nowhere. */
    private synchronized @Nullable Path put(String line) {
        return append(file, line) ? file : append(elsewhere(), line) ? elsewhere : null;
    }

    /** A full disk is full for this file, too; the machine's temporary folder is often on another one. */
    private @Nullable Path elsewhere() {
        if (elsewhere == null) {
            try {
                elsewhere = Files.createTempFile("oncebox-rescued-", ".jsonl");
            } catch (IOException e) {
                LOG.error("No file can be made in the temporary folder: {}", e.toString());
            }
        }
        return elsewhere;
    }

    /** A line is there whole or not at all, or it would spoil the next one; so does what a power cut left of one. */
    private static boolean append(@Nullable Path to, String line) {
        if (to == null) {
            return false;
        }
        try (FileChannel channel =
                FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long before = channel.size();
            try {
                String gap = endsInALine(channel, before) ? "" : "\n";
                channel.position(before);
                ByteBuffer bytes = ByteBuffer.wrap((gap + line).getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
                return true;
            } catch (IOException e) {
                channel.truncate(before);
                throw e;
            }
        } catch (IOException e) {
            LOG.error("{} cannot be written: {}", to, e.toString());
            return false;
        }
    }

    private static boolean endsInALine(FileChannel channel, long size) throws IOException {
        ByteBuffer last = ByteBuffer.allocate(1);
        return size == 0 || channel.read(last, size - 1) == 1 && last.get(0) == '\n';
    }
}
