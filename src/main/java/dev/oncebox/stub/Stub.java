package dev.oncebox.stub;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A model endpoint on 127.0.0.1 that costs nothing, counts every request it was sent, and misbehaves on request.
 *
 * <ul>
 *   <li>{@code POST /v1/chat/completions} (any path that ends so): OpenAI's chat completions, JSON answers included
 *   <li>{@code POST /v1/messages} and {@code POST /api/chat} (any path that ends so): Anthropic's and Ollama's chat
 *   <li>{@code POST /summarize} of <code>{"text": "…"}</code>: <code>{"summary": "…", "chars": n, "call": n}</code>
 *   <li>{@code POST /jobs} of <code>{"text": "…"}</code>: 202 and a {@code Location}; {@code GET} there until
 *       {@code status} is {@code succeeded}, {@code failed} or {@code expired}
 *   <li>{@code POST /v1/responses}: OpenAI's responses; with {@code "background": true} to be asked for by
 *       {@code GET /v1/responses/{id}}, and cancelled by {@code POST /v1/responses/{id}/cancel}
 *   <li>{@code POST /v1/files}, {@code POST /v1/batches}, {@code GET /v1/batches/{id}}, {@code GET /v1/batches}, and so
 *       on: OpenAI's batches to chat completions or responses, and their files
 *   <li>{@code POST /v1/messages/batches}, {@code GET …/{id}}, {@code GET …/{id}/results}, and so on: Anthropic's batches
 *   <li>{@code GET /count}: {@link Counts} as JSON; {@code GET /submissions}: {@link #submissions()} and
 *       {@link #charged()}; {@code POST /reset-count}: counts, log, sequences from zero, everything stored forgotten
 *   <li>{@code GET /log}: the last calls, a JSON object a line: number, path, key, sha256, outcome, time, header names
 * </ul>
 *
 * <p>An answer begins with {@code [call 17]}, so a repeated send cannot hide. A POST is counted as soon as it is here
 * completely, before any delay or misbehaviour; one to an unknown path is counted as well, and gets 404. Not counted
 * as accepted: what is no call of a model, like an upload, a poll or a cancellation; a batch is one POST. An asynchronous call is submitted when the
 * stub takes it on, even if the reply that would say so is lost ({@code reset}, {@code close}, {@code hang}).
 *
 * <p>A directive in the prompt (the last user message; the text) asks for trouble: {@code [[stub: 429 retry-after=1;
 * 500]]} answers the first request with this prompt by 429, the second by 500, and from the third on normally. Steps
 * are parted by {@code ;} and a step that ends in {@code always} (or {@code …}) goes on for ever. The words of a step:
 *
 * <table>
 *   <caption>Words of a step</caption>
 *   <tr><td>{@code 400} … {@code 599}</td><td>this status with the vendor's error object; a code with an underscore may
 *       follow, as in {@code 429 insufficient_quota}; {@code 200} … {@code 399}: the answer, or nothing, under it</td></tr>
 *   <tr><td>{@code retry-after=1}, {@code header=Name:value}</td><td>reply headers; {@code retry-after=imf+2s},
 *       {@code rfc850-1m}, {@code asctime+5s}: a date so far from now, in one of HTTP's three forms</td></tr>
 *   <tr><td>{@code delay=2s}</td><td>before the reply; {@code ms}, {@code s} or {@code m}</td></tr>
 *   <tr><td>{@code trickle=10ms}</td><td>the head at once, then the body byte by byte with this pause</td></tr>
 *   <tr><td>{@code cut}, {@code reset-mid}</td><td>full Content-Length, half the body, then close or reset</td></tr>
 *   <tr><td>{@code close}, {@code reset}</td><td>close or TCP reset without a byte of reply</td></tr>
 *   <tr><td>{@code hang}</td><td>no reply for as long as the client waits</td></tr>
 *   <tr><td>{@code html}, {@code notjson}, {@code nobody}</td><td>200 with a web page, broken JSON, nothing</td></tr>
 *   <tr><td>{@code error200}</td><td>200 with an error object</td></tr>
 *   <tr><td>{@code empty}, {@code nochoices}, {@code refusal}</td><td>200 without an answer</td></tr>
 *   <tr><td>{@code finish=length}</td><td>any finish reason, in the vendor's words; {@code length} halves the
 *       answer as well</td></tr>
 *   <tr><td>{@code say=…}, {@code body=…}</td><td>this answer; this whole body. Percent-encoded: {@code %20}</td></tr>
 *   <tr><td>{@code echo}</td><td>the whole prompt is the answer</td></tr>
 *   <tr><td>{@code size=1000}</td><td>the answer is filled up to so many characters</td></tr>
 *   <tr><td>{@code raw}</td><td>the prompt without its directive is the whole body of the reply</td></tr>
 *   <tr><td>{@code polls=3}, {@code ready=2s}</td><td>a job or response is finished for the poll after the third, or
 *       after so long; else for the first poll</td></tr>
 *   <tr><td>{@code lag=2}, {@code lost}, {@code gone}</td><td>the first two polls get 404; all get 404; all get
 *       410</td></tr>
 *   <tr><td>{@code failed}, {@code expired}</td><td>it ends so, with an error object</td></tr>
 *   <tr><td>{@code poll=500*3,reset,ok,429:2}</td><td>what goes wrong with each poll: three times 500, a reset, nothing,
 *       429 with a Retry-After; any word of a step that takes no value</td></tr>
 *   <tr><td>{@code location=other}</td><td>{@code absolute}, {@code other} (another path), {@code none}, or {@code body}
 *       (in the body alone)</td></tr>
 *   <tr><td>{@code redirect}, {@code running202}, {@code inline}</td><td>303 to the result once it is ready; 202 until
 *       then; the result in the reply to the POST</td></tr>
 *   <tr><td>{@code batch-polls=}, {@code batch-ready=}, {@code batch-lag=}, {@code batch-poll=}</td><td>the same for a
 *       batch, in any of its lines</td></tr>
 *   <tr><td>{@code batch-failed=token_limit_exceeded}</td><td>it fails with this code and no line is submitted;
 *       Anthropic's is refused</td></tr>
 *   <tr><td>{@code line-error=invalid_value}</td><td>OpenAI's fails, because of this line</td></tr>
 *   <tr><td>{@code batch-expired=3}</td><td>it expires, or is cancelled, with so many lines done</td></tr>
 *   <tr><td>{@code batch-missing=1}, {@code batch-double=1}, {@code batch-unknown=1}</td><td>so many answered lines are
 *       nowhere, there twice, of a foreign custom_id</td></tr>
 *   <tr><td>{@code batch-null-files}, {@code batch-empty-files}</td><td>it completes with both file ids (the results'
 *       address) null, or {@code ""}</td></tr>
 *   <tr><td>{@code batch-content=503,cut}, {@code upload=500}, {@code list=500}</td><td>what goes wrong with each
 *       download, with the upload, with each listing; an upload that is cut, reset or closed is stored</td></tr>
 *   <tr><td>{@code create=429}, {@code create-reset}, {@code create-close}, {@code create-hang}</td><td>the creation is
 *       refused; the batch is made and the reply is lost</td></tr>
 *   <tr><td>{@code create-lost}, {@code list-lag=2}</td><td>the connection is closed and no batch made; the batch is not
 *       in the first two listings</td></tr>
 * </table>
 *
 * <p>In a batch, the words of a plain reply are for the line: a status makes it an error, {@code expired} expires it,
 * {@code failed} or a broken connection leaves it unanswered. A line's turn comes when a batch is created with it. The
 * number of its call is above 1,000,000,000, where no POST's is.
 *
 * <p>An unknown word gets 400 and the list of the known ones.
 */
public final class Stub implements AutoCloseable {

    private static final int BACKLOG = 1024;

    private final ServerSocket server;
    private final int port;
    private final Router router;
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch deaf = new CountDownLatch(1);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "oncebox-stub");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * How the stub runs.
     *
     * @param port to listen on; 0 for any free one
     * @param delay before every reply to a POST
     * @param failEvery every so manieth POST without a directive gets 503; 0 for none
     * @param cutEvery every so manieth POST without a directive is cut off within the reply's body; 0 for none
     * @param keepBodies whether {@link #calls()} has the bodies
     * @param logLimit how many of the last calls are remembered
     * @param script the steps of every prompt that has no directive of its own; null for none
     */
    public record Options(
            int port,
            Duration delay,
            int failEvery,
            int cutEvery,
            boolean keepBodies,
            int logLimit,
            @Nullable String script) {

        public Options {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("The stub's port must be 0 to 65535, not " + port);
            }
            if (delay.isNegative() || failEvery < 0 || cutEvery < 0 || logLimit < 0) {
                throw new IllegalArgumentException("The stub's delay, fail, cut and log limit cannot be negative");
            }
            try {
                if (script != null) {
                    Script.parse(script);
                }
            } catch (BadRequest e) {
                throw new IllegalArgumentException(e.sentence());
            }
        }

        /** Any free port, good answers at once, the last 100,000 calls without their bodies. */
        public static Options defaults() {
            return new Options(0, Duration.ZERO, 0, 0, false, 100_000, null);
        }

        public Options withPort(int port) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withDelay(Duration delay) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withFailEvery(int failEvery) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withCutEvery(int cutEvery) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withLogLimit(int logLimit) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withScript(String script) {
            return new Options(port, delay, failEvery, cutEvery, keepBodies, logLimit, script);
        }

        public Options withBodies() {
            return new Options(port, delay, failEvery, cutEvery, true, logLimit, script);
        }
    }

    private Stub(ServerSocket server, Options options) {
        this.server = server;
        this.port = server.getLocalPort();
        this.router = new Router(options);
    }

    /**
     * Starts to listen.
     *
     * @throws IOException when the port is taken, with a sentence that says so
     */
    public static Stub start(Options options) throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), options.port()),
                    BACKLOG);
        } catch (BindException e) {
            server.close();
            throw new IOException(
                    "The stub cannot listen on 127.0.0.1:" + options.port() + " (" + e.getMessage()
                            + "). Choose another port, or 0 for any free one.",
                    e);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        Stub stub = new Stub(server, options);
        stub.threads.execute(stub::accept);
        return stub;
    }

    public int port() {
        return port;
    }

    /** Where it listens, without a slash at the end. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** The address of a path that begins with a slash. */
    public URI uri(String path) {
        return URI.create(uri() + path);
    }

    /** POSTs received completely. */
    public long count() {
        return counts().accepted();
    }

    public Counts counts() {
        return router.tally().counts();
    }

    /**
     * How often each call was taken on by an asynchronous face: by a line's custom_id; for a job or a response in the
     * background by its {@code Idempotency-Key}, or the SHA-256 of its body (lower-case hex) where it has none.
     */
    public Map<String, Integer> submissions() {
        return router.tally().submissions().startedByKey();
    }

    /** How often each of them was worked on, and so cost money: a line that expired or was cancelled was not. */
    public Map<String, Integer> charged() {
        return router.tally().submissions().chargedByKey();
    }

    /** The last calls, oldest first. */
    public List<Call> calls() {
        return router.tally().entries().stream().map(Tally.Entry::call).toList();
    }

    /** Counts, log and sequences from zero. Calls still unanswered count towards what was before. */
    public void reset() {
        router.reset();
    }

    /** No time has to pass any more for what was taken on, and from now on no reply is delayed. */
    public void release() {
        router.release();
        released.countDown();
    }

    /** Waits until somebody closes the stub. */
    public void awaitClose() throws InterruptedException {
        closing.await();
    }

    /** Stops at once: whoever still waits for a reply loses the connection. The port is free afterwards. */
    @Override
    public void close() {
        closing.countDown();
        released.countDown();
        closeQuietly(server);
        open.forEach(Stub::closeQuietly);
        threads.shutdown();
        try {
            // a thread that still waits for the next connection keeps the port
            deaf.await(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        while (closing.getCount() > 0) {
            try {
                start(server.accept());
            } catch (IOException e) {
                breathe();
            }
        }
        deaf.countDown();
    }

    private void start(Socket socket) {
        open.add(socket);
        try {
            threads.execute(() -> serve(socket));
        } catch (RejectedExecutionException e) {
            closeQuietly(socket);
        }
    }

    private void serve(Socket socket) {
        try {
            if (closing.getCount() > 0) {
                new Connection(socket, router, released, closing).run();
            }
        } finally {
            open.remove(socket);
            closeQuietly(socket);
        }
    }

    /** After a failed accept, most likely for want of file descriptors. */
    private void breathe() {
        try {
            closing.await(50, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // it is gone either way
        }
    }
}
