package dev.oncebox.config;

import dev.oncebox.config.EngineSettings.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads what belongs to engines that answer later; for one that does not, it would be silently without effect. */
final class AsyncValues {

    private static final List<String> OF_ALL = List.of("poll", "lost-after");
    private static final List<String> OF_JOBS = List.of("status", "status.running", "status.failed", "location");
    private static final List<String> OF_BATCHES = List.of("batch.calls", "batch.wait", "batch.size", "batch.price");

    /** What vendors take in one batch. */
    private static final int MOST_CALLS = 50_000;

    private static final long MOST_BYTES = 200L << 20;

    private AsyncValues() {}

    static AsyncSettings of(String prefix, Protocol protocol, PropertySource source, Values values) {
        refuse(prefix, protocol.isAsynchronous() ? List.of() : OF_ALL, source, values);
        refuse(prefix, protocol == Protocol.ASYNC ? List.of() : OF_JOBS, source, values);
        refuse(prefix, protocol.isBatch() ? List.of() : OF_BATCHES, source, values);
        if (protocol.isBatch() && values.flag(prefix + "deduplicates", false)) {
            throw new ConfigException(source.where(prefix + "deduplicates") + ": " + prefix
                    + "deduplicates: a provider of batches recognises a batch, but no call that comes again in another."
                    + " Remove the line.");
        }
        return new AsyncSettings(
                values.limit(prefix + "poll", "60s"),
                values.limit(prefix + "lost-after", "10m"),
                Settings.pointer(prefix + "status", "/status", source, values),
                words(values.text(prefix + "status.running", AsyncSettings.RUNNING)),
                words(values.text(prefix + "status.failed", AsyncSettings.FAILED)),
                Settings.pointer(prefix + "location", "", source, values),
                batch(prefix, source, values));
    }

    private static BatchSettings batch(String prefix, PropertySource source, Values values) {
        var batch = new BatchSettings(
                values.positive(prefix + "batch.calls", 1000),
                values.duration(prefix + "batch.wait", "60s"),
                values.size(prefix + "batch.size", "50MB"),
                values.share(prefix + "batch.price", BatchSettings.HALF));
        if (batch.calls() > MOST_CALLS || batch.bytes() > MOST_BYTES) {
            String property = prefix + (batch.calls() > MOST_CALLS ? "batch.calls" : "batch.size");
            throw new ConfigException(source.where(property) + ": " + property + " is more than vendors take: "
                    + MOST_CALLS + " calls and " + (MOST_BYTES >> 20) + "MB in one batch.");
        }
        return batch;
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.strip().split("\\s*,\\s*"))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static void refuse(String prefix, List<String> properties, PropertySource source, Values values) {
        for (String property : properties) {
            if (values.text(prefix + property) != null) {
                throw new ConfigException(source.where(prefix + property) + ": " + prefix + property
                        + " is without effect for the engine's protocol. Remove the line, or set " + prefix
                        + "protocol.");
            }
        }
    }
}
