package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Settings;
import dev.oncebox.intake.RejectedFile;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.LedgerException;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Standing;
import dev.oncebox.ledger.Standing.OpenCalls;
import dev.oncebox.ledger.Standing.Stage;
import dev.oncebox.ledger.sql.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One file's way to its answer, walked by one process that may be any of many and may end at any moment. Whoever gets
 * the lock is the worker, for this file only; the others leave their file in the ledger and look at it there.
 */
public final class Asking {

    private static final Logger LOG = LoggerFactory.getLogger(Asking.class);
    /** How long a pause that another process told of must have lasted to be believed: a fallback takes a moment. */
    private static final Duration BELIEVED = Duration.ofSeconds(1);

    /** The ledger is looked at more often than that for what is to be done. */
    private static final Duration QUIET = Duration.ofMillis(400);

    private static final long LARGE = 1000;

    private final Settings settings;
    private final AskedFile asked;
    private final boolean waitIsGiven;
    private final AskClock clock;
    private final AskRules rules;
    private final AskLedger ledger;
    private boolean sentBefore;

    /** @param signal the number of the signal that ended the asking; 0: none did */
    public record End(AskReply reply, int signal) {}

    /**
     * Begins to wait.
     *
     * @param wait how long to wait for the end; null: as long as the job's first engine may take, and no longer than
     *     until asynchronous engines have accepted everything
     */
    public Asking(Settings settings, AskedFile asked, @Nullable Duration wait) {
        this.settings = settings;
        this.asked = asked;
        this.waitIsGiven = wait != null;
        this.clock = new AskClock(wait == null ? longestAnswer(settings, asked) : wait);
        this.rules = new AskRules(settings.outbox());
        this.ledger = new AskLedger(settings, asked);
    }

    private static Duration longestAnswer(Settings settings, AskedFile asked) {
        EngineSettings first = Objects.requireNonNull(
                settings.engines().get(asked.job().engines().get(0)));
        return first.timeout().plus(first.connectTimeout());
    }

    /**
     * Asks until there is an end or the waiting is over. A ledger that cannot be used now is no end.
     *
     * @throws ConfigException when something must be changed first
     */
    public End ask() {
        AskReply reply;
        try {
            reply = answer();
        } catch (RejectedFile e) {
            reply = AskReply.failed(e.code(), e.getMessage());
        } catch (LedgerException e) {
            reply = AskReply.unclear("ledger", e.getMessage());
        } catch (ConfigException e) {
            if (!(e.getCause() instanceof LedgerException away) || !away.isPassing()) {
                throw e;
            }
            reply = AskReply.unclear("ledger", e.getMessage());
        } finally {
            ledger.close();
        }
        return new End(reply, clock.signal());
    }

    private AskReply answer() throws RejectedFile {
        ledger.identify();
        Standing at = ledger.look();
        AskReply known = at == null ? null : rules.end(at);
        if (known != null) {
            return known;
        }
        clock.listen();
        if (at == null) {
            if (!new Settling(asked, settings.settle()).await(clock)) {
                return AskReply.unclear("not_whole", asked.file() + " is still being written.");
            }
            ledger.requireReadable();
        } else {
            OpenCalls calls = at.calls();
            sentBefore = calls.waiting() == 0 && calls.sent() + calls.polling() > 0;
        }
        Preflight.check(settings);
        return look();
    }

    /** Looks at what others do, until there is something to do here. */
    private AskReply look() throws RejectedFile {
        while (true) {
            Standing at = ledger.look();
            AskReply end = at == null ? null : rules.end(at);
            if (end != null) {
                return end;
            }
            if (at != null && isAcceptedAndEnough(at)) {
                return now(at, Map.of());
            }
            WorkerLock.Holder holder = WorkerLock.Holder.UNKNOWN;
            if (at == null || needsWorker(at)) {
                try {
                    return work(WorkerLock.acquire(settings.ledger(), WorkerLock.Purpose.ASK));
                } catch (WorkerLock.HeldException held) {
                    holder = held.holder();
                }
            }
            if ((at == null || isToComeAgain(at)) && ledger.isWorkedOnBy(holder)) {
                ledger.record(false);
                at = ledger.look();
            }
            boolean waits = at != null && at.calls().waiting() > 0;
            Map<String, Pause> pauses = waits ? lasting(ledger.pauses()) : Map.of();
            if (clock.isOver() || at != null && isHopeless(at, pauses)) {
                return at == null ? notRecorded(holder) : now(at, pauses);
            }
            clock.pause(at != null && at.items() > LARGE);
        }
    }

    private AskReply now(Standing at, Map<String, Pause> pauses) {
        return rules.now(at, ledger.hasBroughtIn(), sentBefore, pauses);
    }

    private static AskReply notRecorded(WorkerLock.Holder holder) {
        return AskReply.unclear(
                "ledger_busy", "It could not be recorded yet: the ledger is in use by " + holder.name() + ".");
    }

    /** Delivered, and yet no end: its answer is in the outbox no more. */
    private static boolean isToComeAgain(Standing at) {
        return at.stage() == Stage.DELIVERED;
    }

    /** Whether asynchronous engines have it, and nobody said to wait for more; what may be polled now is polled first. */
    private boolean isAcceptedAndEnough(Standing at) {
        return !waitIsGiven && at.calls().isAccepted() && !isPollDue(at);
    }

    private boolean isPollDue(Standing at) {
        return at.calls().nextPoll() <= clock.now();
    }

    /** Whether a worker could do something for it before the waiting is over. Claims and sends may be a dead one's. */
    private boolean needsWorker(Standing at) {
        OpenCalls calls = at.calls();
        return at.stage() != Stage.TAKEN
                || at.open() == 0
                || calls.claimed() + calls.sent() > 0
                || calls.nextDue() <= clock.end()
                || calls.nextDue() <= clock.now()
                || isPollDue(at);
    }

    /** Whether nothing will be sent before the waiting is over. */
    private boolean isHopeless(Standing at, Map<String, Pause> pauses) {
        OpenCalls calls = at.calls();
        boolean onlyWaits = at.open() > 0 && calls.waiting() - calls.claimed() == at.open();
        boolean paused = pauses.containsKey(Pause.BUDGET)
                || at.isSingle() && pauses.containsKey(String.valueOf(at.shown().engine()));
        boolean believed = clock.hasLasted(onlyWaits && paused, BELIEVED);
        return onlyWaits && (believed || calls.nextDue() > clock.end());
    }

    private Map<String, Pause> lasting(Map<String, Pause> pauses) {
        Map<String, Pause> lasting = new TreeMap<>(pauses);
        lasting.values().removeIf(pause -> !pause.lasts(clock.now(), clock.left()));
        return lasting;
    }

    /** As the ledger's worker, for this file only. */
    private AskReply work(WorkerLock lock) throws RejectedFile {
        Scope scope = Scope.oneFile();
        Map<String, Pause> pauses;
        ledger.close();
        try (Worker worker = Worker.prepare(settings, lock, null, scope, clock::lost)) {
            Standing at = ledger.look();
            AskReply end = at == null ? null : rules.end(at);
            if (end != null) {
                return end;
            }
            at = at == null || at.stage() != Stage.TAKEN ? recorded(worker.ledger()) : at;
            if (at == null) {
                return notRecorded(WorkerLock.Holder.UNKNOWN);
            }
            if (clock.isStopped()) {
                return now(at, Map.of());
            }
            scope.is(at.file());
            worker.start();
            waitFor(worker);
            pauses = lasting(worker.pauses());
            ledger.close();
        }
        String loss = clock.loss();
        Standing at = loss == null ? ledger.look() : null;
        return at == null ? AskReply.unclear("ledger_lost", loss) : now(at, pauses);
    }

    /** Null: another node was reading the file all the time. */
    private @Nullable Standing recorded(Ledger worker) throws RejectedFile {
        Standing at = ledger.recorded(worker);
        while (at == null && !clock.isOver()) {
            clock.pauseShortly(false);
            at = ledger.recorded(worker);
        }
        return at;
    }

    private void waitFor(Worker worker) {
        clock.workerStarted();
        while (!clock.isStopped()) {
            Standing at = Objects.requireNonNull(ledger.look());
            boolean restsAtEngines = isAcceptedAndEnough(at)
                    && !worker.component().isWorking()
                    && !worker.component().isShowing();
            if (rules.end(at) != null || clock.hasLasted(restsAtEngines, QUIET)) {
                return;
            }
            boolean sentOrCannotBe = at.calls().sent() > 0 || clock.workerHadItsChance();
            if (!worker.isBusy(clock.left()) || clock.isOver() && sentOrCannotBe) {
                finish(worker);
                return;
            }
            clock.pauseShortly(at.items() > LARGE);
        }
    }

    /** What is on the wire is paid for: its answer is waited for, and delivered. */
    private void finish(Worker worker) {
        worker.component().stopSending();
        long end = System.nanoTime() + worker.patience().toNanos();
        boolean told = false;
        while (!clock.isStopped() && System.nanoTime() - end < 0) {
            Standing at = Objects.requireNonNull(ledger.look());
            boolean inFlight = at.calls().sent() + at.calls().claimed() > 0;
            boolean toDeliver = at.stage() == Stage.TAKEN && at.open() == 0 && worker.stuckDeliveries() == 0;
            if (!inFlight && !toDeliver && !worker.component().isShowing()) {
                return;
            }
            if (inFlight && !told) {
                LOG.info("The waiting is over; the call in flight is finished, as it is paid for");
                told = true;
            }
            clock.pauseShortly(at.items() > LARGE);
        }
    }
}
