package dev.oncebox.ledger.camel;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a reply goes when the ledger can no longer take it: a JSON line per reply, the body in Base64. Nobody reads it
 * back by itself; it is there so that what was paid for is not gone.
 */
final class Rescue {

    private static final Logger LOG = LoggerFactory.getLogger(Rescue.class);

    private final Path file;

    Rescue(Path file) {
        this.file = file;
    }

    synchronized void keep(Call call, Verdict verdict, @Nullable Reply reply) {
        if (reply == null) {
            return;
        }
        String line = "{\"key\":\"" + call.keyHex() + "\",\"engine\":\"" + call.engine() + "\",\"charged\":\""
                + verdict.charged() + "\",\"status\":" + reply.status() + ",\"body\":\""
                + Base64.getEncoder().encodeToString(reply.body()) + "\"}\n";
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
            LOG.error("The reply to {} could not be recorded; it is kept in {}", call.keyHex(), file);
        } catch (IOException e) {
            LOG.error(
                    "The reply to {} could neither be recorded nor kept in {}: {}", call.keyHex(), file, e.toString());
        }
    }
}
