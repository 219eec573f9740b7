package dev.oncebox.intake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.files.DurableFile;
import dev.oncebox.files.FileName;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Variables;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.camel.Exchange;
import org.apache.camel.support.SynchronizationAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Messaging Gateway for every source but the inbox folder itself. What a source hands over becomes a file of the inbox,
 * durably, and goes the way of any other; the source gets control back when its items are in the ledger.
 *
 * <p>The body is the file's content, the variable {@code job} whose file it is, the variable {@code name} what it is
 * called below the job's folder. A name that is only an ending, such as {@code .json}, is completed with the SHA-256 of
 * the content. The same name with the same content is the same file, however often it is handed over: it is not taken
 * again once it is in the ledger.
 */
public final class Handover {

    private static final String INCOMING = ".incoming";
    private static final String JOB = "job";
    private static final String NAME = "name";
    private static final String UNKNOWN = "unknown";
    private static final int ACCEPTED = 202;
    private static final int UNPROCESSABLE = 422;

    private final Ledger ledger;
    private final Path inbox;
    private final FilesInProgress inProgress;

    Handover(Ledger ledger, Path inbox, FilesInProgress inProgress) {
        this.ledger = ledger;
        this.inbox = inbox;
        this.inProgress = inProgress;
    }

    /** Deletes what a process that died had not written to its end; its source hands it over again. */
    void sweep(Duration untouched) throws IOException {
        DurableFile.sweep(inbox.resolve(INCOMING), untouched);
    }

    /**
     * Puts the body into the inbox, and makes the file the body. The variable {@code unknown} says whether it is to be
     * taken in; false: it is in the ledger already.
     *
     * @throws FileAlreadyExistsException when another file of that name is in the inbox at this moment
     */
    public void take(Exchange exchange) throws IOException, InterruptedException {
        exchange.setVariable(Variables.HANDED_OVER, exchange.getFromRouteId());
        String job = segment(text(exchange, JOB));
        String name = text(exchange, NAME);
        try (DurableFile file = DurableFile.create(inbox.resolve(INCOMING), job)) {
            byte[] sha256 = copy(exchange.getMessage().getBody(InputStream.class), file.out());
            String path = job + "/" + safe(name, sha256);
            Path target = inbox.resolve(path);
            hold(target, path, exchange);
            exchange.setVariable(Variables.HANDED_OVER, path);
            boolean unknown = !isInTheLedger(path, sha256);
            exchange.setVariable(UNKNOWN, unknown);
            if (!unknown) {
                return;
            }
            DurableFile.createFolders(Objects.requireNonNull(target.getParent()));
            if (!file.publish(target)) {
                throw new FileAlreadyExistsException(
                        target.toString(),
                        null,
                        "another file of this name waits in the inbox; hand this one over later");
            }
            exchange.getMessage().setBody(target.toFile());
        }
    }

    /** Nobody else takes the file until the source has control back; another node may be taking it already. */
    private void hold(Path target, String path, Exchange exchange) throws IOException, InterruptedException {
        inProgress.await(target.toString());
        exchange.getExchangeExtension().addOnCompletion(new SynchronizationAdapter() {
            @Override
            public void onDone(Exchange done) {
                inProgress.remove(target.toString());
            }
        });
        if (!ledger.reserve(path)) {
            throw new FileAlreadyExistsException(
                    target.toString(), null, "another node takes a file of this name in; hand this one over later");
        }
        exchange.getExchangeExtension().addOnCompletion(new Released(ledger, path));
    }

    private boolean isInTheLedger(String path, byte[] sha256) {
        return ledger.isKnown(path, sha256)
                && ledger.unarchived().stream()
                        .noneMatch(file -> file.taking()
                                && file.path().equals(path)
                                && MessageDigest.isEqual(file.sha256(), sha256));
    }

    private static byte[] copy(@Nullable InputStream body, OutputStream to) throws IOException {
        var out = new DigestOutputStream(to, FileReading.sha256());
        if (body != null) {
            try (body) {
                body.transferTo(out);
            }
        }
        out.flush();
        return out.getMessageDigest().digest();
    }

    private static String text(Exchange exchange, String variable) {
        String text = exchange.getVariable(variable, String.class);
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException("A source handed something over without the variable " + variable
                    + ". Its route sets job and name before direct:inbox-handover.");
        }
        return text.strip();
    }

    /** A name may come from anywhere: it cannot lead out of the job's folder, and is one that the inbox takes. */
    private static String safe(String name, byte[] sha256) {
        String whole =
                name.startsWith(".") && name.indexOf('/') < 0 ? HexFormat.of().formatHex(sha256) + name : name;
        return Arrays.stream(whole.split("/"))
                .filter(segment -> !segment.isEmpty())
                .map(Handover::segment)
                .collect(Collectors.joining("/"));
    }

    private static String segment(String written) {
        String safe = written.replaceAll("[^\\p{L}\\p{M}\\p{N}._~-]", "_").replaceAll("^[.~]", "_");
        FileName name = FileName.of(safe);
        return name.numbered(1, name.extension());
    }

    /** What a source that waits for a reply is told: the file that {@code oncebox answers} and {@code journal} know. */
    public void acknowledge(Exchange exchange) {
        ObjectNode reply = JsonNodeFactory.instance.objectNode();
        reply.put("file", exchange.getVariable(Variables.HANDED_OVER, String.class));
        reply(exchange, ACCEPTED, reply);
    }

    /** What it is told when nothing in the file can be read: it lies in {@code rejected/}, and another try is in vain. */
    static void refuse(Exchange exchange, ObjectNode error) {
        reply(exchange, UNPROCESSABLE, error);
    }

    private static void reply(Exchange exchange, int status, ObjectNode body) {
        exchange.getMessage().removeHeaders("*");
        exchange.getMessage().setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        exchange.getMessage().setHeader(Exchange.CONTENT_TYPE, "application/json");
        exchange.getMessage().setBody(body.toString());
    }
}
