package dev.oncebox.operate.web;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.HttpSettings;
import dev.oncebox.config.Settings;
import dev.oncebox.ledger.Settlements;
import dev.oncebox.ledger.sql.SqlReports;
import dev.oncebox.operate.Reports;
import dev.oncebox.operate.Watch;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.micrometer.routepolicy.MicrometerRoutePolicyFactory;
import org.apache.camel.support.DefaultHeaderFilterStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The page, its API, health and metrics of one runtime: what stands behind the routes in {@code operate/}. */
public final class Console implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Console.class);
    private static final String FIRST_ROUTE = "operate-status";
    private static final String TOKEN_FILE = "http.token";

    private final Settings settings;
    private final Watch watch;
    private final Metrics metrics;
    private final PageApi api;
    private final WebServer server;

    /**
     * Makes everything ready; nothing is served before {@link #start}.
     *
     * @param giveUp tells the engine of this name that nobody waits for the call at this address
     */
    public Console(Settings settings, BinaryOperator<String> giveUp, Clock clock) {
        this.settings = settings;
        Supplier<Reports> reports = () -> Reports.open(settings.ledger(), clock);
        Set<String> engines = settings.engines().keySet();
        Collection<String> polled = settings.engines().values().stream()
                .filter(engine -> engine.protocol().isAsynchronous())
                .map(EngineSettings::name)
                .collect(Collectors.toSet());
        this.watch = new Watch(reports, settings.home().rejected(), engines, polled, clock);
        this.metrics = new Metrics(watch, engines, settings.home().data());
        this.api = new PageApi(settings, watch, reports, giveUp, clock);
        Path tokenFile = settings.home().data().resolve(TOKEN_FILE);
        HttpSettings http = settings.http();
        var token = AccessToken.of(http.token(), tokenFile, new SecureRandom());
        this.server = new WebServer(http, new Access(http, token, metrics::refused));
    }

    /** Is told what each attempt came to. */
    public Settlements settlements() {
        return metrics;
    }

    /** Binds what the routes use, before they are loaded. */
    public void bind(CamelContext context) {
        var health = new Health(
                context,
                watch,
                Map.of(
                        "the inbox", settings.inbox(),
                        "the outbox", settings.outbox(),
                        "the archive", settings.home().archive(),
                        "the data folder", settings.home().data()),
                settings.home().data());
        context.getRegistry().bind("api", api);
        context.getRegistry().bind("rows", new Rows());
        context.getRegistry().bind("observe", new Observe(health, metrics));
        context.getRegistry().bind("ledgerToLookAt", SqlReports.dataSource(settings.ledger()));
        var nothing = new DefaultHeaderFilterStrategy();
        nothing.setInFilterPattern(".*");
        nothing.setOutFilterPattern(".*");
        context.getRegistry().bind("noHeaders", nothing);
        context.getRegistry().bind(MicrometerConstants.METRICS_REGISTRY_NAME, metrics.registry());
        context.addRoutePolicyFactory(new MicrometerRoutePolicyFactory());
        server.bind(context, settings.maxItem());
    }

    /**
     * A home that has routes of its own may have been made before there was a page.
     *
     * @throws ConfigException when nothing would answer the page
     */
    public void checkRoutes(CamelContext context) {
        if (context.getRoute(FIRST_ROUTE) == null) {
            throw new ConfigException(settings.home().routes() + " has no " + FIRST_ROUTE.replace('-', '/')
                    + ".camel.yaml, so that nothing would answer the page. Copy routes/operate of the distribution there,"
                    + " or set http.port=off.");
        }
    }

    /**
     * Opens the port.
     *
     * @return which one it is
     */
    public int start() {
        int port = server.listen();
        watch.start();
        HttpSettings http = settings.http();
        LOG.info("The page is at {}://{}:{}/", http.tls() == null ? "http" : "https", http.host(), port);
        if (http.token() == null) {
            LOG.info("Its token is in {}", settings.home().data().resolve(TOKEN_FILE));
        }
        if (!http.isLocal() && http.tls() == null) {
            LOG.warn("The page is served to other machines without encryption, its token too: set http.tls.certificate"
                    + " and http.tls.key, or put a proxy before it that encrypts.");
        }
        return port;
    }

    /** Health and metrics for routes. */
    public static final class Observe {
        private final Health health;
        private final Metrics metrics;

        Observe(Health health, Metrics metrics) {
            this.health = health;
            this.metrics = metrics;
        }

        /** See {@link Health#ready}. */
        public void ready(Exchange exchange) {
            health.ready(exchange);
        }

        /** See {@link Health#live}. */
        public void live(Exchange exchange) {
            health.live(exchange);
        }

        /** See {@link Metrics#scrape}. */
        public void metrics(Exchange exchange) {
            Rows.reply(exchange, 200, metrics.scrape());
            exchange.getMessage().setHeader(Exchange.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
        }
    }

    @Override
    public void close() {
        server.close();
        watch.close();
        metrics.close();
    }
}
