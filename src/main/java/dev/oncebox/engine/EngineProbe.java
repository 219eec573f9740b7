package dev.oncebox.engine;

import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.EngineSettings.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Whether an engine can be reached and takes our key, found out without asking it anything that costs: by the list of
 * its models where its vendor has one, else by a connection alone.
 */
public final class EngineProbe {

    private static final Duration LONGEST = Duration.ofSeconds(10);
    /** What the addresses of requests end in, by protocol, and what the list of models has instead. */
    private static final Map<Protocol, String> ENDINGS = Map.of(
            Protocol.OPENAI, "/chat/completions",
            Protocol.OPENAI_RESPONSES, "/responses",
            Protocol.OPENAI_BATCH, "/batches",
            Protocol.ANTHROPIC, "/messages",
            Protocol.ANTHROPIC_BATCH, "/messages/batches",
            Protocol.OLLAMA, "/chat");

    private final EngineSettings settings;
    private final Duration patience;

    private EngineProbe(EngineSettings settings) {
        this.settings = settings;
        this.patience = settings.connectTimeout().compareTo(LONGEST) < 0 ? settings.connectTimeout() : LONGEST;
    }

    /** What is wrong and what to do; nothing: it can be reached, and no key was refused. */
    public static Optional<String> problem(EngineSettings settings) {
        return new EngineProbe(settings).look();
    }

    private Optional<String> look() {
        try {
            URI models = models();
            if (models == null) {
                connect();
                return Optional.empty();
            }
            int status = status(models);
            return status == 401 || status == 403
                    ? Optional.of("engine." + settings.name() + ".api-key: " + origin() + " refuses "
                            + (settings.apiKey() == null ? "requests without a key" : "this key") + " (" + status
                            + "). Set the right one, as {{env:NAME}}, and see that it is for this address.")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.of("engine." + settings.name() + ".url: " + origin() + " cannot be reached: " + why(e));
        }
    }

    private String origin() {
        return settings.url().getScheme() + "://" + settings.url().getRawAuthority();
    }

    private static String why(IOException failure) {
        if (failure instanceof UnknownHostException) {
            return "no such host is known. Correct its name, or mend the name service or the proxy of this machine.";
        }
        if (failure instanceof SSLException) {
            return "no TLS (" + failure.getMessage()
                    + "). See that the address wants https, that this is the right host,"
                    + " and that Java trusts its certificate.";
        }
        if (failure instanceof SocketTimeoutException) {
            return "nobody answers (" + failure.getMessage()
                    + "). Correct the address, or open the firewall or the proxy.";
        }
        return failure.getMessage() + ". Start what should listen there, or correct the address.";
    }

    /** Null: this kind of endpoint has no list that is known to cost nothing. */
    private @Nullable URI models() {
        String ending = ENDINGS.get(settings.protocol());
        URI url = settings.url();
        if (ending == null || !url.getPath().endsWith(ending)) {
            return null;
        }
        String base = url.getRawPath().substring(0, url.getRawPath().length() - ending.length());
        String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
        return URI.create(origin() + base + (settings.protocol() == Protocol.OLLAMA ? "/tags" : "/models") + query);
    }

    private int status(URI models) throws IOException {
        var request = ClassicRequestBuilder.get().setUri(models);
        Map<String, String> headers = new HashMap<>(
                settings.protocol() == Protocol.ANTHROPIC || settings.protocol() == Protocol.ANTHROPIC_BATCH
                        ? new AnthropicProtocol().headers(settings.apiKey())
                        : new OpenAiProtocol().headers(settings.apiKey()));
        settings.headers().forEach((name, value) -> headers.put(name, value.value()));
        headers.forEach(request::setHeader);
        Timeout timeout = Timeout.of(patience);
        try (CloseableHttpClient client = HttpClientBuilder.create()
                .useSystemProperties()
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .useSystemProperties()
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(timeout)
                                .setSocketTimeout(timeout)
                                .build())
                        .build())
                .setDefaultRequestConfig(
                        RequestConfig.custom().setResponseTimeout(timeout).build())
                .build()) {
            return client.execute(request.build(), response -> response.getCode());
        }
    }

    private void connect() throws IOException {
        URI url = settings.url();
        boolean secure = url.getScheme().equals("https");
        int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        Proxy proxy =
                ProxySelector.getDefault().select(url).stream().findFirst().orElse(Proxy.NO_PROXY);
        try (var socket = new Socket(proxy.type() == Proxy.Type.HTTP ? Proxy.NO_PROXY : proxy)) {
            if (proxy.address() instanceof InetSocketAddress address && proxy.type() == Proxy.Type.HTTP) {
                socket.connect(
                        new InetSocketAddress(address.getHostString(), address.getPort()), (int) patience.toMillis());
                return;
            }
            var address = new InetSocketAddress(url.getHost(), port);
            if (address.isUnresolved()) {
                throw new UnknownHostException(url.getHost());
            }
            socket.connect(address, (int) patience.toMillis());
            if (secure) {
                socket.setSoTimeout((int) patience.toMillis());
                var factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
                try (var tls = (SSLSocket) factory.createSocket(socket, url.getHost(), port, true)) {
                    var parameters = tls.getSSLParameters();
                    parameters.setEndpointIdentificationAlgorithm("HTTPS");
                    tls.setSSLParameters(parameters);
                    tls.startHandshake();
                }
            }
        }
    }
}
