package dev.oncebox.operate.web;

import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The page as it lies in our jar, and the library that plots for it; all of it is held in memory. */
final class PageFiles {

    private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

    private static final List<Place> PLACES = List.of(
            new Place("/", "/page/index.html", "text/html; charset=utf-8"),
            new Place("/page/page.js", "/page/page.js", "text/javascript; charset=utf-8"),
            new Place("/page/page.css", "/page/page.css", "text/css; charset=utf-8"),
            new Place("/page/icon.svg", "/page/icon.svg", "image/svg+xml"),
            new Place("/page/uplot.js", UPLOT + "uPlot.iife.min.js", "text/javascript; charset=utf-8"),
            new Place("/page/uplot.css", UPLOT + "uPlot.min.css", "text/css; charset=utf-8"));

    private PageFiles() {}

    private record Place(String path, String resource, String type) {}

    static void serve(Router router) {
        for (Place place : PLACES) {
            Buffer content = content(place.resource());
            router.get(place.path()).handler(context -> context.response()
                    .putHeader("Content-Type", place.type())
                    .end(content));
        }
    }

    private static Buffer content(String resource) {
        try (@Nullable InputStream in = PageFiles.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing");
            }
            return Buffer.buffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
