package dev.oncebox.engine;

import dev.oncebox.config.EngineSettings;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * Requests beside the paid call of a route: questions about what was accepted, which cost nothing, and what a batch
 * needs. Nothing is repeated or redirected, and one deadline holds for all of a request, as for a paid call.
 */
final class Wire implements Closeable {

    private final CloseableHttpClient client;
    /** Without the deadline and the bound of a reply: the results of a batch may be large. */
    private final CloseableHttpClient downloads;

    Wire(EngineSettings settings) {
        HttpClientBuilder builder = HttpClientBuilder.create().useSystemProperties();
        new SingleSend(settings.timeout(), settings.connectTimeout(), settings.concurrency())
                .configureHttpClient(builder);
        client = builder.build();
        downloads = HttpClientBuilder.create()
                .useSystemProperties()
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(Timeout.of(settings.connectTimeout()))
                                .setSocketTimeout(Timeout.of(settings.timeout()))
                                .build())
                        .build())
                .build();
    }

    Observed get(URI address, Map<String, String> headers) {
        return exchange("GET", address, headers, null);
    }

    Observed post(URI address, Map<String, String> headers, @Nullable HttpEntity body) {
        return exchange("POST", address, headers, body);
    }

    /** Writes the whole of a reply somewhere, however large it is. */
    void download(URI address, Map<String, String> headers, OutputStream to) throws IOException {
        ClassicRequestBuilder request = ClassicRequestBuilder.get().setUri(address);
        headers.forEach(request::setHeader);
        int status = downloads.execute(request.build(), response -> {
            HttpEntity entity = response.getEntity();
            if (response.getCode() == 200 && entity != null) {
                entity.writeTo(to);
            }
            return response.getCode();
        });
        if (status != 200) {
            throw new IOException(address.getPath() + " answered " + status);
        }
    }

    private Observed exchange(String method, URI address, Map<String, String> headers, @Nullable HttpEntity body) {
        // of the one kind that can be cancelled, for the deadline ends a request by that
        var request = new HttpUriRequestBase(method, address);
        headers.forEach(request::setHeader);
        if (body != null) {
            request.setEntity(body);
        }
        try {
            return client.execute(request, Wire::observed);
        } catch (IOException e) {
            return new Observed.Failure(e);
        }
    }

    private static Observed observed(ClassicHttpResponse response) throws IOException {
        Map<String, String> headers = headers(response);
        HttpEntity entity = response.getEntity();
        byte[] body = entity == null ? new byte[0] : EntityUtils.toByteArray(entity);
        return new Observed.Response(
                response.getCode(), headers, body, headers.get(SingleSend.CUT.toLowerCase(Locale.ROOT)));
    }

    private static Map<String, String> headers(ClassicHttpResponse response) {
        Map<String, String> headers = new HashMap<>();
        for (Header header : response.getHeaders()) {
            headers.put(header.getName().toLowerCase(Locale.ROOT), header.getValue());
        }
        return headers;
    }

    /** For a request that is asked of an address outside the engine's own, which gets no secret. */
    static boolean isSameOrigin(URI one, URI other) {
        return one.getScheme().equalsIgnoreCase(other.getScheme())
                && one.getHost().equalsIgnoreCase(other.getHost())
                && port(one) == port(other);
    }

    private static int port(URI address) {
        if (address.getPort() >= 0) {
            return address.getPort();
        }
        return address.getScheme().equalsIgnoreCase("https") ? 443 : 80;
    }

    @Override
    public void close() throws IOException {
        client.close();
        downloads.close();
    }
}
