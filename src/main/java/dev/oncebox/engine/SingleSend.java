package dev.oncebox.engine;

import dev.oncebox.CrashPoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.camel.component.http.HttpClientConfigurer;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Makes an HTTP client safe for requests that cost money.
 *
 * <ul>
 *   <li>One send: no automatic retries (by default the client repeats a POST after 429 and 503), no redirects.
 *   <li>One deadline for the whole call. The client's own timeout is for each read, so a reply that trickles never
 *       meets it; here the connection is closed when the time is over.
 *   <li>The whole reply is read here, so that what came before a cut is kept; the header {@link #CUT} says that it is
 *       not whole.
 *   <li>{@link NotSentException} if and only if nothing was written: the connection was not established.
 * </ul>
 *
 * <p>The hazard: a kept-alive connection that the server closes at the moment of reuse ends in a doubt. So idle
 * connections are checked before reuse, and none is kept for long.
 */
final class SingleSend implements HttpClientConfigurer {

    /** Set on a reply that is not whole; the value says why. A server's own header of this name is dropped. */
    static final String CUT = "Oncebox-Cut";

    /** Set beside {@link #CUT} when the reply is not whole because the engine's time was over. */
    static final String LATE = "Oncebox-Late";

    private static final int LARGEST_REPLY = 64 << 20;
    private static final TimeValue CHECK_IDLE_AFTER = TimeValue.ofMilliseconds(500);
    private static final TimeValue KEEP_IDLE = TimeValue.ofSeconds(4);
    /** The client's own timeout for a read comes later, or the two would race and one silence have two names. */
    private static final Duration AFTER_DEADLINE = Duration.ofSeconds(5);

    private static final String WRITING = "oncebox.writing";

    private static final ScheduledExecutorService ALARMS = alarms();

    private final Duration timeout;
    private final Duration connectTimeout;
    private final int concurrency;

    /** Forgets an alarm that is cancelled: each holds its request, and would until the request's time is over. */
    private static ScheduledExecutorService alarms() {
        var alarms = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "deadlines");
            thread.setDaemon(true);
            return thread;
        });
        alarms.setRemoveOnCancelPolicy(true);
        return alarms;
    }

    SingleSend(Duration timeout, Duration connectTimeout, int concurrency) {
        this.timeout = timeout;
        this.connectTimeout = connectTimeout;
        this.concurrency = concurrency;
    }

    @Override
    public void configureHttpClient(HttpClientBuilder client) {
        client.disableAutomaticRetries();
        client.disableRedirectHandling();
        client.disableCookieManagement();
        client.disableAuthCaching();
        client.setKeepAliveStrategy((response, context) -> KEEP_IDLE);
        client.setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnPerRoute(concurrency)
                .setMaxConnTotal(concurrency)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(connectTimeout))
                        .setSocketTimeout(Timeout.of(timeout.plus(AFTER_DEADLINE)))
                        .setValidateAfterInactivity(CHECK_IDLE_AFTER)
                        .build())
                .build());
        client.setDefaultRequestConfig(RequestConfig.custom()
                .setConnectionRequestTimeout(Timeout.of(timeout))
                .setResponseTimeout(Timeout.of(timeout.plus(AFTER_DEADLINE)))
                .setRedirectsEnabled(false)
                .build());
        client.addExecInterceptorFirst("single-send", this::send);
        client.addExecInterceptorBefore(ChainElement.MAIN_TRANSPORT.name(), "writing", (request, scope, chain) -> {
            scope.clientContext.setAttribute(WRITING, true);
            return chain.proceed(request, scope);
        });
    }

    private ClassicHttpResponse send(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        var deadline = new Deadline(scope.originalRequest);
        ScheduledFuture<?> alarm = ALARMS.schedule(deadline, timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            ClassicHttpResponse response = chain.proceed(request, scope);
            response.removeHeaders(CUT);
            response.removeHeaders(LATE);
            readWhole(response, deadline);
            return response;
        } catch (IOException e) {
            throw failure(e, scope, deadline);
        } catch (IllegalStateException e) {
            // the client's word for a connection that was closed under it before it was used
            if (!deadline.over) {
                throw e;
            }
            throw failure(new InterruptedIOException("the engine's time was over"), scope, deadline);
        } finally {
            alarm.cancel(false);
        }
    }

    private IOException failure(IOException e, ExecChain.Scope scope, Deadline deadline) {
        boolean written = scope.clientContext.getAttribute(WRITING) != null;
        if (!written) {
            return new NotSentException(describe(e), e);
        }
        return deadline.over ? new DeadlineException("No reply within " + timeout.toMillis() + " ms.", e) : e;
    }

    private void readWhole(ClassicHttpResponse response, Deadline deadline) {
        HttpEntity entity = response.getEntity();
        if (entity == null) {
            return;
        }
        var bytes = new ByteArrayOutputStream(Math.max(1024, (int) Math.min(entity.getContentLength(), 1 << 20)));
        String cut = null;
        try (InputStream in = entity.getContent()) {
            cut = copy(in, bytes);
        } catch (IOException e) {
            cut = deadline.over
                    ? "No whole reply within " + timeout.toMillis() + " ms."
                    : "the connection broke: " + describe(e);
            if (deadline.over) {
                response.setHeader(LATE, "true");
            }
        }
        if (cut != null) {
            response.setHeader(CUT, cut);
        }
        response.setEntity(new ByteArrayEntity(bytes.toByteArray(), ContentType.parseLenient(entity.getContentType())));
    }

    private static @Nullable String copy(InputStream in, ByteArrayOutputStream bytes) throws IOException {
        byte[] buffer = new byte[16 * 1024];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            if (bytes.size() == 0) {
                CrashPoint.AFTER_FIRST_BYTE.reach();
            }
            bytes.write(buffer, 0, read);
            if (bytes.size() > LARGEST_REPLY) {
                return "it is longer than " + (LARGEST_REPLY >> 20) + " MB";
            }
        }
        return null;
    }

    private static String describe(IOException e) {
        String message = String.valueOf(e.getMessage());
        return e.getClass().getSimpleName().replace("Exception", "") + ": "
                + message.lines().findFirst().orElse("");
    }

    /** Closes the connection under a call whose time is over. */
    private static final class Deadline implements Runnable {
        private final ClassicHttpRequest request;
        private volatile boolean over;

        Deadline(ClassicHttpRequest request) {
            this.request = request;
        }

        @Override
        public void run() {
            over = true;
            if (request instanceof Cancellable cancellable) {
                cancellable.cancel();
            }
        }
    }
}
