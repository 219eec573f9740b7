package dev.oncebox.config;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.config.EngineSettings.OnDoubt;
import dev.oncebox.config.EngineSettings.Protocol;
import dev.oncebox.config.EngineSettings.Secret;
import dev.oncebox.job.Jobs;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything that {@code config/} says, checked: an unknown property, a bad value or a missing secret is refused here,
 * before anything is read or sent.
 *
 * @param inbox where files are dropped
 * @param outbox where answers appear
 * @param poll how often the inbox is looked at
 * @param settle how long a file must have been unchanged to count as complete
 * @param maxItem the longest item, in bytes
 * @param ledger where the ledger is
 * @param lease how long a node that shares a ledger counts as living after its last sign of life
 * @param budget what may be spent
 * @param http where the page is served
 * @param logFormat how lines of the log are written
 * @param properties what routes may use as {@code {{name}}}
 */
public record Settings(
        Home home,
        Path inbox,
        Path outbox,
        Duration poll,
        Duration settle,
        long maxItem,
        LedgerUrl ledger,
        Duration lease,
        Retry retry,
        BudgetSettings budget,
        HttpSettings http,
        LogFormat logFormat,
        Map<String, EngineSettings> engines,
        Jobs jobs,
        Map<String, String> properties) {

    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(3);

    private static final String SQLITE = "jdbc:sqlite:data/ledger.db";
    private static final Set<String> TRANSPORT =
            Set.of("host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect");

    /** Reads and checks the configuration of a home. */
    public static Settings read(Home home, Map<String, String> environment) {
        PropertyFile file = PropertyFile.read(home.properties());
        var problems = new Problems();
        var source = new PropertySource(file, environment, RoutePlaceholders.usedIn(home.routes()), problems);
        Values values = source.values();
        Path inbox = folder(home, values.text("inbox.dir", "inbox"));
        Path outbox = folder(home, values.text("outbox.dir", "outbox"));

        Map<String, EngineSettings> engines = new TreeMap<>();
        for (String name : source.engines()) {
            problems.of(() -> engines.put(name, engine(name, home, source, values)));
        }
        Map<String, @Nullable String> models = new TreeMap<>();
        source.engines().forEach(name -> models.put(name, values.text("engine." + name + ".model")));

        Map<String, String> properties = new HashMap<>(source.plain());
        Duration poll = values.duration("inbox.poll", "500ms");
        Duration settle = values.duration("inbox.settle", "500ms");
        properties.put("inbox.dir", inbox.toString());
        properties.put("inbox.poll", String.valueOf(poll.toMillis()));
        properties.put("inbox.at-once", String.valueOf(values.positive("inbox.at-once", 10_000)));
        properties.put("inbox.concurrency", String.valueOf(values.positive("inbox.concurrency", 8)));
        properties.put("poll.concurrency", String.valueOf(values.positive("poll.concurrency", 16)));
        properties.put("outbox.dir", outbox.toString());
        properties.put("outbox.concurrency", String.valueOf(values.positive("outbox.concurrency", 8)));
        HttpSettings http = problems.or(HttpSettings.NOWHERE, () -> HttpSettings.of(home, source, values));
        LedgerUrl ledger = problems.or(
                LedgerUrl.parse(SQLITE, home.root()), () -> ledger(home, values.text("ledger.url", SQLITE), source));
        properties.put("ledger.url", ledger.name());
        Jobs jobs = problems.or(Jobs.NONE, () -> Jobs.read(home.config().resolve("jobs"), models));
        if (jobs != Jobs.NONE) {
            engines.values().forEach(engine -> problems.of(() -> checkPlaces(engine, jobs)));
        }
        var settings = new Settings(
                home,
                inbox,
                outbox,
                poll,
                settle,
                Math.min(values.size("inbox.max-item", "16MB"), 1L << 30),
                ledger,
                lease(values, source),
                new Retry(
                        values.duration("retry.delay", "1s"),
                        values.factor("retry.multiplier", 2),
                        values.duration("retry.max-delay", "10m"),
                        values.duration("retry.give-up", "24h")),
                problems.or(BudgetSettings.NONE, () -> budget(values, source, engines.values())),
                http,
                values.choice("log.format", LogFormat.TEXT),
                Collections.unmodifiableMap(engines),
                jobs,
                Collections.unmodifiableMap(properties));
        problems.raise();
        return settings;
    }

    private static BudgetSettings budget(Values values, PropertySource source, Collection<EngineSettings> engines) {
        var budget = new BudgetSettings(
                values.count("budget.calls"),
                values.amount("budget.cost"),
                values.text("budget.period") == null ? null : values.limit("budget.period", "24h"));
        for (EngineSettings engine : engines) {
            if (budget.cost() != null && (engine.inputPrice() == null || engine.outputPrice() == null)) {
                throw new ConfigException(source.where("budget.cost") + ": budget.cost needs to know what a call costs."
                        + " Set engine." + engine.name() + ".price.input and engine." + engine.name()
                        + ".price.output, per million tokens.");
            }
        }
        if (budget.period() != null && budget.calls() == null && budget.cost() == null) {
            throw new ConfigException(source.where("budget.period")
                    + ": budget.period is without effect. Set budget.calls or budget.cost as well.");
        }
        return budget;
    }

    private static Path folder(Home home, String value) {
        return home.root().resolve(value).normalize();
    }

    private static LedgerUrl ledger(Home home, String url, PropertySource source) {
        try {
            return LedgerUrl.parse(url, home.root());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(source.where("ledger.url") + ": ledger.url " + e.getMessage());
        }
    }

    private static Duration lease(Values values, PropertySource source) {
        Duration lease = values.limit("ledger.lease", "15s");
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new ConfigException(source.where("ledger.lease") + ": ledger.lease is " + lease.toMillis()
                    + "ms, but must be 3s or more: a node that is only busy would be taken for dead.");
        }
        return lease;
    }

    private static EngineSettings engine(String name, Home home, PropertySource source, Values values) {
        String prefix = "engine." + name + ".";
        Protocol protocol = values.choice(prefix + "protocol", Protocol.OPENAI);
        Map<String, Secret> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        source.below(prefix + "header.").forEach((header, value) -> headers.put(header, new Secret(value)));
        String idempotencyHeader = source.orDefault(prefix + "idempotency-header", "Idempotency-Key");
        for (String header : headers.keySet()) {
            if (TRANSPORT.contains(header.toLowerCase(Locale.ROOT))
                    || header.toLowerCase(Locale.ROOT).startsWith("camel")) {
                throw new ConfigException(source.where(prefix + "header." + header) + ": the header " + header
                        + " belongs to the HTTP client and would be silently without effect. Remove the line.");
            }
            if (header.equalsIgnoreCase(idempotencyHeader)) {
                throw new ConfigException(source.where(prefix + "header." + header) + ": the header " + header
                        + " carries each call's own key; with one value for all, an endpoint would take them for one"
                        + " call. Remove the line, or name another header in " + prefix + "idempotency-header.");
            }
        }
        source.checkWritten(prefix + "api-key");
        String key = values.text(prefix + "api-key");
        return new EngineSettings(
                name,
                protocol,
                url(prefix + "url", protocol, source, values),
                values.text(prefix + "model"),
                key == null ? null : new Secret(key),
                Collections.unmodifiableMap(headers),
                values.limit(prefix + "timeout", "120s"),
                values.limit(prefix + "connect-timeout", "10s"),
                values.positive(prefix + "concurrency", 16),
                values.count(prefix + "requests-per-minute"),
                values.count(prefix + "tokens-per-minute"),
                values.price(prefix + "price.input"),
                values.price(prefix + "price.output"),
                idempotencyHeader,
                values.flag(prefix + "deduplicates", false),
                values.choice(prefix + "on-doubt", OnDoubt.RESEND),
                values.statuses(prefix + "unpaid-statuses"),
                pointer(prefix + "answer", "", source, values),
                protocol == Protocol.JSON || protocol == Protocol.ASYNC ? bodyTemplate(home, name) : null,
                AsyncValues.of(prefix, protocol, source, values));
    }

    static String pointer(String property, String otherwise, PropertySource source, Values values) {
        String pointer = values.text(property, otherwise);
        try {
            JsonPointer.compile(pointer);
            return pointer;
        } catch (IllegalArgumentException e) {
            throw new ConfigException(source.where(property) + ": \"" + pointer
                    + "\" is not a JSON Pointer; it starts with a slash, such as /summary or /choices/0/text.");
        }
    }

    /** A vendor's address may be given as the base that its SDKs take, or whole. */
    private static URI url(String property, Protocol protocol, PropertySource source, Values values) {
        String text = values.text(property);
        if (text == null) {
            throw new ConfigException(source.where(property) + ": " + property
                    + " is missing. Set it to the endpoint's address, such as https://api.openai.com/v1.");
        }
        try {
            URI url = text.matches("https?://.*") ? new URI(text) : URI.create("");
            if (!text.matches("https?://.*") || url.getHost() == null) {
                throw new URISyntaxException(text, "it must start with http:// or https:// and name a host");
            }
            if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
                throw new URISyntaxException(text, "it must not hold a user name or a # part; use api-key for secrets");
            }
            String path = url.getRawPath().replaceAll("/+$", "");
            String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
            String whole =
                    switch (protocol) {
                        case OPENAI -> whole(path, "/v1", "/v\\d+", "/chat/completions");
                        case ANTHROPIC -> whole(path, "/v1", "/v\\d+", "/messages");
                        case OLLAMA -> whole(path, "/api", "/api", "/chat");
                        case OPENAI_RESPONSES -> whole(path, "/v1", "/v\\d+", "/responses");
                        case OPENAI_BATCH -> whole(path, "/v1", "/v\\d+", "/batches");
                        case ANTHROPIC_BATCH -> whole(path, "/v1", "/v\\d+", "/messages/batches");
                        case JSON, ASYNC -> url.getRawPath();
                    };
            return new URI(url.getScheme() + "://" + url.getRawAuthority() + whole + query);
        } catch (URISyntaxException e) {
            throw new ConfigException(
                    source.where(property) + ": " + property + " is not an address: " + e.getReason() + ".");
        }
    }

    /** The path, with what a base leaves out where it is one. */
    private static String whole(String path, String base, String bases, String rest) {
        String start = path.isEmpty() ? base : path;
        return start.matches(".*" + bases) ? start + rest : path;
    }

    /** A place that nothing fills would vanish from the request in silence. */
    private static void checkPlaces(EngineSettings engine, Jobs jobs) {
        if (engine.body() == null) {
            return;
        }
        Set<String> known = new TreeSet<>(Set.of("text", "messages", "system", "model", "schema", "sample", "key"));
        jobs.all().forEach(job -> known.addAll(job.params().keySet()));
        Matcher places = Pattern.compile("\\{\\{\\s*([^}]*?)\\s*}}")
                .matcher(engine.body().toString());
        while (places.find()) {
            if (!known.contains(places.group(1))) {
                throw new ConfigException(
                        "config/engines/" + engine.name() + ".json: nothing fills {{" + places.group(1)
                                + "}}. There are " + String.join(", ", known)
                                + " and the jobs' parameters; an item's own fields go into the text by prompt.md.");
            }
        }
    }

    private static JsonNode bodyTemplate(Home home, String engine) {
        Path file = home.config().resolve("engines").resolve(engine + ".json");
        try {
            return new ObjectMapper()
                    .readTree(Files.exists(file) ? Files.readString(file) : "{\"text\": \"{{text}}\"}");
        } catch (JsonProcessingException e) {
            throw new ConfigException(
                    file + ":" + e.getLocation().getLineNr() + ": not valid JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new ConfigException(file + " cannot be read: " + e.getMessage());
        }
    }
}
