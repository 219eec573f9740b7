package dev.oncebox.operate.web;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.HttpSettings;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.camel.CamelContext;
import org.apache.camel.component.platform.http.vertx.VertxPlatformHttpRouter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server behind Camel's {@code platform-http}, in bounds: one thread that listens, few that work, so that
 * whatever is asked of it leaves the processors to those who send; short heads, small bodies, no patience.
 */
final class WebServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WebServer.class);
    private static final int WORKERS = 4;
    private static final int LONGEST_LINE = 4096;
    private static final int LONGEST_HEAD = 8192;
    private static final int IDLE_SECONDS = 30;
    private static final int CLOSE_SECONDS = 5;

    private final HttpSettings settings;
    private final Vertx vertx;
    private final HttpServer server;
    private final Router router;
    private final Connections connections = new Connections();

    /**
     * @param access what every request passes first
     */
    WebServer(HttpSettings settings, Handler<RoutingContext> access) {
        this.settings = settings;
        this.vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(WORKERS)
                .setInternalBlockingPoolSize(1)
                .setBlockedThreadCheckInterval(TimeUnit.DAYS.toMillis(1))
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
        this.router = Router.router(vertx);
        router.route().order(-1).handler(access);
        PageFiles.serve(router);
        Set.of(404, 405, 413, 500).forEach(status -> router.errorHandler(status, WebServer::failed));
        this.server = vertx.createHttpServer(options())
                .connectionHandler(connections::opened)
                .requestHandler(this::handle);
    }

    /** A request that names no host does not even get to the routes: each would be an error in the log. */
    private void handle(HttpServerRequest request) {
        if (request.authority() == null) {
            Replies.error(request.response(), 400, "Name a host.")
                    .onComplete(said -> request.connection().close());
            return;
        }
        request.response().endHandler(ended -> connections.served(request.connection()));
        router.handle(request);
    }

    private HttpServerOptions options() {
        var options = new HttpServerOptions()
                .setHost(settings.host())
                .setPort(Objects.requireNonNull(settings.port()))
                .setMaxInitialLineLength(LONGEST_LINE)
                .setMaxHeaderSize(LONGEST_HEAD)
                .setIdleTimeout(IDLE_SECONDS)
                .setHttp2ClearTextEnabled(false)
                .setMaxWebSocketFrameSize(0)
                .setRegisterWebSocketWriteHandlers(false);
        HttpSettings.Tls tls = settings.tls();
        if (tls != null) {
            options.setSsl(true)
                    .setUseAlpn(false)
                    .setEnabledSecureTransportProtocols(Set.of("TLSv1.2", "TLSv1.3"))
                    .setKeyCertOptions(new PemKeyCertOptions()
                            .setCertPath(tls.certificate().toString())
                            .setKeyPath(tls.key().toString()));
        }
        return options;
    }

    private static void failed(RoutingContext context) {
        Replies.error(
                context.response(),
                context.statusCode(),
                switch (context.statusCode()) {
                    case 404 -> "There is nothing here.";
                    case 405 -> "This method is not for this address.";
                    case 413 -> "This is too much.";
                    default -> "This could not be answered; the log says why.";
                });
    }

    /**
     * Routes of {@code platform-http} are served here from now on.
     *
     * @param longestBody of a request to a route that is not ours, in bytes
     */
    void bind(CamelContext context, long longestBody) {
        String name = VertxPlatformHttpRouter.PLATFORM_HTTP_ROUTER_NAME_ZERO;
        context.getRegistry().bind(name, new VertxPlatformHttpRouter(null, vertx, router, name) {
            @Override
            public Handler<RoutingContext> bodyHandler() {
                BodyHandler bodies = BodyHandler.create(false).setBodyLimit(longestBody);
                return request -> {
                    request.request().resume();
                    bodies.handle(request);
                };
            }
        });
    }

    /**
     * Opens the port.
     *
     * @return which one it is
     * @throws ConfigException when it cannot be had
     */
    int listen() {
        try {
            connections.watch(vertx);
            return await(server.listen().toCompletionStage().toCompletableFuture(), IDLE_SECONDS)
                    .actualPort();
        } catch (ExecutionException | TimeoutException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new ConfigException("The page cannot be served at " + settings.host() + ":" + settings.port() + ": "
                    + cause.getMessage() + ". Set http.port to another port, or end the program that has it.");
        }
    }

    private static <T> T await(Future<T> future, int seconds) throws ExecutionException, TimeoutException {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TimeoutException("interrupted");
        }
    }

    @Override
    public void close() {
        try {
            await(vertx.close().toCompletionStage().toCompletableFuture(), CLOSE_SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The page's server did not end in time: {}", e.toString());
        }
    }
}
