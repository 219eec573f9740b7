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
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a reply goes when the ledger can no longer take it, or not now: a JSON line per reply, the body in Base64. The
 * next start reads what is beside the ledger, see {@link RescuedReplies}; the rest is there so that what was paid for is
 * not gone. What could be recorded after all is taken out when nothing else waits. Names of calls are looked up after
 * that, and no other reply waits for it.
 */
final class Rescue {

    private static final Logger LOG = LoggerFactory.getLogger(Rescue.class);

    private final Path file;
    private final Function<Call, CallName> names;
    /** Keys of replies that are in the file and wait in memory as well. */
    private final Set<String> waiting = new HashSet<>();

    private long before;
    private boolean isNeeded;
    private @Nullable Path elsewhere;

    Rescue(Path file, Function<Call, CallName> names) {
        this.file = file;
        this.names = names;
    }

    /** Keeps a reply that waits in memory for the ledger, in case that this process ends meanwhile. */
    synchronized void spool(Call call, Verdict verdict, @Nullable Reply reply) {
        if (reply == null || verdict instanceof Verdict.Running) {
            return;
        }
        try {
            long size = Files.exists(file) ? Files.size(file) : 0;
            append(file, line(call, verdict, reply));
            before = waiting.isEmpty() && !isNeeded ? size : before;
            waiting.add(call.keyHex());
        } catch (IOException e) {
            LOG.debug("The reply to {} is kept in memory only", call.keyHex(), e);
        }
    }

    /** A reply that waited is in the ledger. */
    synchronized void recorded(Call call) {
        if (waiting.remove(call.keyHex()) && waiting.isEmpty() && !isNeeded) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(before);
                if (before == 0) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                LOG.debug("{} keeps replies that are recorded, which changes nothing", file, e);
            }
        }
    }

    void keep(Call call, Verdict verdict, @Nullable Reply reply) {
        if (reply == null || verdict instanceof Verdict.Running) {
            return;
        }
        String line = line(call, verdict, reply);
        Path kept = put(call, line);
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
    private synchronized @Nullable Path put(Call call, String line) {
        isNeeded = true;
        boolean isSpooled = waiting.remove(call.keyHex());
        return isSpooled || isAppended(file, line) ? file : isAppended(elsewhere(), line) ? elsewhere : null;
    }

    private static String line(Call call, Verdict verdict, Reply reply) {
        String address = verdict instanceof Verdict.Accepted accepted ? accepted.address() : "";
        return "{\"key\":\"" + call.keyHex() + "\",\"fence\":" + call.fence() + ",\"engine\":\"" + call.engine()
                + "\",\"charged\":\"" + verdict.charged() + "\",\"valid\":" + (verdict instanceof Verdict.Valid)
                + (address.isEmpty() ? "" : ",\"address\":" + TextNode.valueOf(address))
                + (reply.requestId() == null ? "" : ",\"requestId\":" + TextNode.valueOf(reply.requestId()))
                + ",\"status\":" + reply.status() + ",\"body\":\""
                + Base64.getEncoder().encodeToString(reply.body()) + "\"}\n";
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

    private static boolean isAppended(@Nullable Path to, String line) {
        try {
            if (to != null) {
                append(to, line);
            }
            return to != null;
        } catch (IOException e) {
            LOG.error("{} cannot be written: {}", to, e.toString());
            return false;
        }
    }

    /** A line is there whole or not at all, or it would spoil the next one; so does what a power cut left of one. */
    private static void append(Path to, String line) throws IOException {
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
            } catch (IOException e) {
                channel.truncate(before);
                throw e;
            }
        }
    }

    private static boolean endsInALine(FileChannel channel, long size) throws IOException {
        ByteBuffer last = ByteBuffer.allocate(1);
        return size == 0 || channel.read(last, size - 1) == 1 && last.get(0) == '\n';
    }
}
