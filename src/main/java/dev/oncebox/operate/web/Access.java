package dev.oncebox.operate.web;

import dev.oncebox.config.HttpSettings;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands before everything that is served. Whoever changes something has the token, and so has everybody who comes from
 * another machine; no other page may ask in its reader's name, and no name may be asked for that is not ours (DNS
 * rebinding). The token comes in a header, never in a cookie or an address, so that no browser sends it by itself.
 */
final class Access implements Handler<RoutingContext> {

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Permissions-Policy",
            "camera=(), geolocation=(), microphone=()",
            "Cache-Control",
            "no-store");

    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Set<String> CHANGING = Set.of("POST", "PUT", "PATCH", "DELETE");
    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final Pattern OURS = Pattern.compile("/|/(page|api|observe)(/.*)?");
    private static final String API = "/api/";
    private static final String OBSERVE = "/observe/";
    private static final int LONGEST_BODY = 1024;

    private final HttpSettings settings;
    private final AccessToken token;
    private final Refusals refusals;

    /** Is told why a request was refused, in a word. */
    @FunctionalInterface
    interface Refusals {
        void refused(String why);
    }

    Access(HttpSettings settings, AccessToken token, Refusals refusals) {
        this.settings = settings;
        this.token = token;
        this.refusals = refusals;
    }

    /** Why a request is not served. */
    private record Refusal(int status, String word, String sentence) {}

    @Override
    public void handle(RoutingContext context) {
        HttpServerResponse response = context.response();
        HEADERS.forEach(response::putHeader);
        if (settings.tls() != null) {
            response.putHeader("Strict-Transport-Security", "max-age=31536000");
        }
        Refusal refusal = refusal(context);
        if (refusal == null) {
            context.next();
            return;
        }
        refusals.refused(refusal.word());
        // what else it sends is not waited for
        response.putHeader("Connection", "close");
        Replies.error(response, refusal.status(), refusal.sentence())
                .onComplete(said -> context.request().connection().close());
    }

    private @Nullable Refusal refusal(RoutingContext context) {
        HttpServerRequest request = context.request();
        String method = request.method().name();
        if (!isOurHost(request)) {
            return new Refusal(
                    421, "host", "This is not the name of this server. Add it to http.names if it should be.");
        }
        if (!READING.contains(method) && !CHANGING.contains(method)) {
            return new Refusal(405, "method", "This method is not for this server.");
        }
        if (!request.path().equals(context.normalizedPath())) {
            return new Refusal(404, "path", "There is nothing here.");
        }
        boolean ours = OURS.matcher(request.path()).matches();
        if (ours && (request.query() != null || isBig(request))) {
            return new Refusal(400, "form", "Neither a query nor a large body is asked for.");
        }
        boolean api = !ours || request.path().startsWith(API);
        if (api && isFromElsewhere(request)) {
            return new Refusal(403, "origin", "Another page must not ask for this.");
        }
        if (isTokenWanted(request, ours) && !token.isIn(request.getHeader("Authorization"))) {
            context.response().putHeader("WWW-Authenticate", "Bearer");
            return new Refusal(401, "token", "The token of this server is wanted: Authorization: Bearer TOKEN.");
        }
        return null;
    }

    /** The page itself holds nothing, and whoever has no token yet needs it to give one. */
    private boolean isTokenWanted(HttpServerRequest request, boolean ours) {
        if (!READING.contains(request.method().name())
                || !ours
                || request.headers().contains("Authorization")) {
            return true;
        }
        String path = request.path();
        if (settings.isLocal() || path.equals("/") || path.startsWith("/page/")) {
            return false;
        }
        return !path.startsWith(OBSERVE) || settings.observe() == HttpSettings.Observe.TOKEN;
    }

    private boolean isOurHost(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority == null || request.headers().getAll("Host").size() > 1) {
            return false;
        }
        String host = authority.host().toLowerCase(Locale.ROOT);
        return LOCAL_NAMES.contains(host)
                || settings.names().contains(host)
                || host.equals(settings.host())
                || !settings.isLocal() && host.equals(request.localAddress().hostAddress());
    }

    private static boolean isFromElsewhere(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        return site != null && !site.equals("same-origin") && !site.equals("none")
                || origin != null
                        && !origin.equals("http://" + request.getHeader("Host"))
                        && !origin.equals("https://" + request.getHeader("Host"));
    }

    private static boolean isBig(HttpServerRequest request) {
        String length = request.getHeader("Content-Length");
        return request.headers().contains("Transfer-Encoding")
                || length != null && (length.length() > 4 || Integer.parseInt(length) > LONGEST_BODY);
    }
}
