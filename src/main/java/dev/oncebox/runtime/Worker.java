package dev.oncebox.runtime;

import dev.oncebox.CrashPoint;
import dev.oncebox.answer.AnswerCheck;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Settings;
import dev.oncebox.engine.BatchEngines;
import dev.oncebox.engine.Engines;
import dev.oncebox.files.DurableFile;
import dev.oncebox.intake.InboxFiles;
import dev.oncebox.intake.Intake;
import dev.oncebox.intake.RequestKey;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Settlements;
import dev.oncebox.ledger.camel.Fallbacks;
import dev.oncebox.ledger.camel.Guard;
import dev.oncebox.ledger.camel.LedgerComponent;
import dev.oncebox.ledger.sql.Scope;
import dev.oncebox.ledger.sql.SqlLedger;
import dev.oncebox.ledger.sql.Surroundings;
import dev.oncebox.operate.web.Console;
import dev.oncebox.outbox.Outbox;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.camel.CamelContext;
import org.apache.camel.Endpoint;
import org.apache.camel.StartupSummaryLevel;
import org.apache.camel.main.Main;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runtime of one home: the ledger, the stages as beans, and the routes that join them. */
public final class Worker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final Duration MARGIN = Duration.ofSeconds(10);
    private static final Duration SHUTDOWN = Duration.ofSeconds(10);

    private final Clock clock = new ForwardClock(Clock.systemUTC(), System::nanoTime);
    private final Settings settings;
    private final Scope scope;
    private final WorkerLock lock;
    private final Ledger ledger;
    private final InboxFiles inboxFiles;
    private final Intake intake;
    private final AnswerCheck answers;
    private final Engines engines;
    private final Leftovers leftovers;
    private final Capacity capacity;
    private final Fallbacks fallbacks;
    private final LedgerComponent component;
    private final @Nullable Console console;
    private int pagePort;
    private final Main main = new Main();
    private final Duration patience;

    /** Another runtime works on the ledger. */
    public static final class BusyException extends Exception {
        private static final long serialVersionUID = 1;

        BusyException(String message) {
            super(message);
        }
    }

    private Worker(Settings settings, @Nullable Long maxCalls, WorkerLock lock, Scope scope, Consumer<String> onLost) {
        var policies = new Policies(settings);
        this.settings = settings;
        this.scope = scope;
        this.lock = lock;
        this.patience = policies.longestCall().plus(MARGIN);
        this.answers = new AnswerCheck(settings.jobs());
        this.engines = new Engines(settings.engines().values(), settings.retry(), clock);
        this.ledger = SqlLedger.open(
                settings.ledger(),
                new Surroundings(policies::of, RequestKey.VERSION, clock, new SecureRandom(), onLost, settings.lease()),
                scope);
        this.inboxFiles = new InboxFiles(
                settings.inbox(),
                settings.settle(),
                Clock.systemUTC(),
                System::nanoTime,
                settings.ledger() instanceof LedgerUrl.PostgresDatabase);
        this.intake = new Intake(
                ledger,
                settings.jobs(),
                new Intake.Folders(
                        settings.inbox(),
                        settings.home().archive(),
                        settings.home().rejected()),
                inboxFiles,
                settings.maxItem());
        main.bind("answers", answers);
        main.bind("engines", engines);
        main.bind("guard", new Guard(ledger));
        main.bind("inboxFiles", inboxFiles);
        main.bind("filesInProgress", intake.inProgress());
        main.bind("handover", intake.handover());
        main.bind("intake", intake);
        this.fallbacks = policies.fallbacks();
        this.capacity = engines.admission(policies.budgets(maxCalls), ledger::spent, ledger.pauses(), ledger::share);
        this.leftovers = new Leftovers(
                settings, ledger, intake, (call, reply) -> answers.check(call, engines.answer(call, reply)));
        main.bind("batches", new BatchEngines(engines, ledger.batches(), capacity, clock));
        // an ask beside a runtime, or for one file alone, shows nothing
        this.console = scope.isEverything() && settings.http().port() != null
                ? new Console(settings, engines::giveUp, clock)
                : null;
        this.component = new LedgerComponent(
                ledger,
                capacity,
                fallbacks,
                leftovers.rescued(),
                console == null ? Settlements.UNHEARD : console.settlements());
        main.bind("outbox", new Outbox(ledger, settings.jobs(), settings.outbox()));
        build();
    }

    /**
     * Makes everything ready without taking or sending anything.
     *
     * @param maxCalls how many calls may be charged, at most, beside what the budgets say; null: any number
     * @param onLost told why when the ledger can no longer be trusted
     * @throws ConfigException when something must be changed first
     */
    public static Worker prepare(Settings settings, @Nullable Long maxCalls, Consumer<String> onLost)
            throws BusyException {
        Preflight.check(settings);
        try {
            WorkerLock lock = WorkerLock.acquire(settings.ledger(), WorkerLock.Purpose.CHECK);
            return prepare(settings, lock, maxCalls, Scope.everything(), onLost);
        } catch (WorkerLock.HeldException e) {
            throw new BusyException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The same for whoever has the lock, which is the worker's from now on.
     *
     * @param scope what it works on; when it is not everything, nothing is taken from outside either
     */
    static Worker prepare(
            Settings settings, WorkerLock lock, @Nullable Long maxCalls, Scope scope, Consumer<String> onLost) {
        boolean ready = false;
        try {
            var worker = new Worker(settings, maxCalls, lock, scope, onLost);
            ready = true;
            return worker;
        } finally {
            if (!ready) {
                lock.close();
            }
        }
    }

    private void build() {
        var properties = new Properties();
        properties.putAll(settings.properties());
        main.setInitialProperties(properties);
        main.setDefaultPropertyPlaceholderLocation("false");
        main.configure().withName("oncebox");
        main.configure().setStartupSummaryLevel(StartupSummaryLevel.Off);
        main.configure().withShutdownTimeout((int) SHUTDOWN.toSeconds());
        main.configure().withShutdownLogInflightExchangesOnTimeout(false);
        main.configure().withJmxEnabled(false);
        main.configure().withAutoStartup(false);
        try {
            main.init();
            CamelContext context = main.getCamelContext();
            // again, as camel.main.auto-startup may say otherwise: nothing may start before what is left over is in
            // order
            context.setAutoStartup(false);
            context.addComponent("ledger", component);
            if (console != null) {
                console.bind(context);
            }
            List<Endpoint> paid = engines.bindEndpoints(context);
            new RouteFiles(settings.home().routes(), console != null).load(context);
            main.start();
            RouteFiles.checkErrorHandling(context);
            RouteFiles.checkHttpOptions(context, paid);
            if (console != null) {
                console.checkRoutes(context);
            }
        } catch (ConfigException e) {
            giveUp();
            throw e;
        } catch (Exception e) {
            giveUp();
            throw RouteFiles.startFailure(e);
        }
    }

    private void giveUp() {
        main.stop();
        closeConsole();
        ledger.close();
    }

    private void closeConsole() {
        if (console != null) {
            console.close();
        }
    }

    /** Puts in order what an earlier process left, and begins. */
    public void start() {
        pagePort = console == null ? 0 : console.start();
        try {
            DurableFile.sweep(settings.outbox(), leftovers.untouched());
            DurableFile.sweep(settings.home().rejected(), leftovers.untouched());
            leftovers.recordRescued();
            CrashPoint.BEFORE_RECOVERY.reach();
            int inDoubt = ledger.recover();
            CrashPoint.AFTER_RECOVERY.reach();
            if (inDoubt > 0) {
                LOG.warn("{} calls were in flight when the last run ended; the journal names them", inDoubt);
            }
            RestoredCopy.hold(ledger);
            int moved = ledger.reassign(settings.engines().keySet(), new Policies(settings).firstEngines());
            if (moved > 0) {
                LOG.warn(
                        "{} calls waited for an engine that is configured no more; their jobs' engines are asked",
                        moved);
            }
            Orphans.name(ledger, capacity.polled().keySet());
            intake.resume(leftovers.untouched());
            CrashPoint.AFTER_RESUME.reach();
            if (scope.isEverything()) {
                main.getCamelContext().getRouteController().startAllRoutes();
            } else {
                InnerRoutes.start(main.getCamelContext());
            }
            ledger.onTakeover(leftovers::recordRescued, leftovers::resumeIntake);
        } catch (IOException e) {
            throw new ConfigException("The folders cannot be read: " + e);
        } catch (Exception e) {
            throw RouteFiles.startFailure(e);
        }
    }

    /** What can be sent before then, also by way of a fallback. */
    private Ledger.Reach reach(Duration horizon) {
        Map<String, Pause> lasting = new TreeMap<>(capacity.pauses());
        lasting.values().removeIf(pause -> !pause.lasts(clock.millis(), horizon));
        Collection<String> polled = capacity.polled().keySet();
        if (lasting.containsKey(Pause.BUDGET)) {
            return new Ledger.Reach(List.of(), List.of(), polled);
        }
        List<String> available = settings.engines().keySet().stream()
                .filter(engine -> !lasting.containsKey(engine))
                .toList();
        return new Ledger.Reach(
                available,
                available.stream()
                        .flatMap(engine -> fallbacks.to(engine, lasting).stream())
                        .toList(),
                polled);
    }

    /** Whether something is in flight, due within the horizon, or can be delivered or shown. */
    public boolean isBusy(Duration horizon) {
        // in this order: what is asked for is due later, from before the question to after it
        return ledger.isBusy(horizon, reach(horizon)) || component.isAsking() || component.isShowing();
    }

    /** What is left to do, as the ledger sees it. */
    public Ledger.Work work(Duration horizon) {
        return ledger.work(horizon, reach(horizon));
    }

    /** Where the page is served; 0: nowhere, or not yet. */
    public int pagePort() {
        return pagePort;
    }

    /** How many files were taken from the inbox so far. */
    public long filesTaken() {
        return intake.taken();
    }

    /** Whether no file waits in the inbox to be taken, or is being taken. A file leaves the inbox before that is over. */
    public boolean isInboxEmpty() {
        // in this order; and Camel waits a whole second for what is not over when it stops
        return inboxFiles.isEmpty() && intake.inProgress().isEmpty();
    }

    /** How many files' answers could not be written several times in a row. */
    public int stuckDeliveries() {
        return component.stuckDeliveries();
    }

    /** Whether a file in the inbox could not be taken and is tried again later. */
    public boolean hasPostponedFiles() {
        return inboxFiles.hasPostponed();
    }

    Ledger ledger() {
        return ledger;
    }

    /** What takes work out of the ledger. */
    LedgerComponent component() {
        return component;
    }

    /** Which engines are sent nothing at the moment, and under {@link Pause#BUDGET} whether all are. */
    Map<String, Pause> pauses() {
        return capacity.pauses();
    }

    /** How long calls in flight are waited for, at most. */
    Duration patience() {
        return patience;
    }

    /** Takes and sends nothing new, waits for the calls in flight and keeps their answers. */
    @Override
    public void close() {
        try {
            if (!component.drain(patience)) {
                LOG.error("Calls are still in flight after {}; they are in doubt", patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CrashPoint.AFTER_DRAIN.reach();
        rememberPauses();
        main.stop();
        closeConsole();
        engines.close();
        ledger.close();
        lock.close();
    }

    /** The last replies may have said something new after the last look at the pauses. */
    private void rememberPauses() {
        try {
            ledger.pauses(capacity.pauses());
        } catch (LedgerException e) {
            LOG.warn("{} What stands still could not be recorded.", e.getMessage());
        }
    }
}
