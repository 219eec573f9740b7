package dev.oncebox.ledger.sql;

import dev.oncebox.HandTime;
import dev.oncebox.config.BudgetSettings;
import dev.oncebox.config.Retry;
import dev.oncebox.engine.Engines;
import dev.oncebox.engine.Limits;
import dev.oncebox.job.Acceptance;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Ledger.Move;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Transition;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.camel.Fallbacks;
import dev.oncebox.ledger.sql.SimulatedNode.Task;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: the ledger's own statements on a database in memory, under a clock that stands still unless told, with
 * nodes that are killed before, in and after every step, paused and continued, and people who decide. Everything is
 * drawn from the seed, so that a schedule can be had again.
 */
final class Simulation {

    private static final List<String> ENGINES = List.of("first", "second");
    private static final int STEPS = 90;
    private static final Retry RETRY = new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(1), Duration.ofHours(1));

    private final Random dice;
    private final Session session;
    private final @Nullable PlantedBug bug;
    private final HandTime clock = new HandTime();
    private final SimulatedEngine engine;
    private final SimulationRules rules;
    private final SqlCalls calls;
    private final SqlRecovery recovery;
    private final SqlSettling settling;
    private final SqlEngines engines;
    private final SqlPolling polling;
    private final SqlDecisions decisions;
    private final SqlIntake intake;
    private final Job job;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private SimulatedNode active;
    private long nextNode = 1;

    Simulation(long seed, Session session, @Nullable PlantedBug bug) throws SQLException {
        this.dice = new Random(seed);
        this.session = session;
        this.bug = bug;
        boolean deduplicates = dice.nextInt(4) == 0;
        boolean resend = dice.nextBoolean();
        int attempts = 1 + dice.nextInt(3);
        boolean fallback = dice.nextInt(3) == 0;
        this.engine = new SimulatedEngine(dice, deduplicates, dice.nextInt(3) == 0);
        this.rules = new SimulationRules(session, engine, attempts, resend, deduplicates);
        boolean resendsAnyway = resend || bug == PlantedBug.HOLD_IGNORED;
        Policy.Source policies = (name, at) -> new Policy(
                attempts, resendsAnyway, deduplicates, RETRY, fallback && at.equals("first") ? "second" : null);
        var codec = new RequestCodec();
        this.calls = new SqlCalls(codec, clock, Scope.everything());
        this.settling = new SqlSettling(policies, clock, dice);
        this.recovery = new SqlRecovery(calls, settling, new Nodes(clock, Heartbeat.LEASE), clock);
        this.engines = new SqlEngines(clock);
        this.polling = new SqlPolling(clock, Scope.everything());
        this.decisions = new SqlDecisions(new Sqlite(Path.of("none"), false), session, clock);
        this.intake = new SqlIntake(codec, clock, 1);
        this.job = new Job(
                "j",
                fallback ? ENGINES : ENGINES.subList(0, 1),
                null,
                new TreeMap<>(),
                null,
                attempts,
                Job.Format.TEXT,
                Acceptance.STRICT,
                null,
                "{{text}}",
                null);
        this.active = begin();
        drop("a");
    }

    /** Runs the schedule to its end and returns how many requests reached the engine; the rules are looked at after each step. */
    int run() throws SQLException {
        for (int step = 0; step < STEPS; step++) {
            step();
            rules.check();
        }
        finish();
        rules.checkEnd();
        checkPlaces();
        return engine.requests.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void step() throws SQLException {
        switch (dice.nextInt(18)) {
            case 0, 1, 2 -> claim(active);
            case 3, 4, 5, 6, 7, 8 -> advance(any());
            case 9 -> clock.pass(Duration.ofSeconds(dice.nextInt(120)));
            case 10 -> kill();
            case 11 -> pause();
            case 12 -> decide();
            case 13 -> drop(dice.nextBoolean() ? "a" : "b");
            case 14 -> fallBack();
            case 15, 16 -> poll();
            default -> clock.pass(Duration.ofSeconds(dice.nextInt(3)));
        }
    }

    private SimulatedNode any() {
        return dice.nextInt(3) > 0 ? active : nodes.get(dice.nextInt(nodes.size()));
    }

    /** A step that writes. The process may end before it, or before or after its commit, without anybody being told. */
    private <T> @Nullable T write(SimulatedNode node, GroupCommit.Step<T> what) throws SQLException {
        int accident = dice.nextInt(60);
        session.run("BEGIN");
        T result;
        try {
            result = what.run(session);
        } catch (PlantedBug.Crash crash) {
            killed(node);
            return null;
        }
        if (accident == 0) {
            session.rollBack();
        } else {
            session.commit();
        }
        if (accident <= 1) {
            killed(node);
            return null;
        }
        return result;
    }

    private void claim(SimulatedNode node) throws SQLException {
        String at = ENGINES.get(dice.nextInt(4) == 0 ? 1 : 0);
        claim(node, at);
    }

    /** As the dispatcher does: as many as there are places for, and what is not used is given back. */
    private void claim(SimulatedNode node, String at) throws SQLException {
        int places = node.capacity.take(at, 1 + dice.nextInt(2));
        List<SqlCalls.Stored> claimed = places == 0 ? List.of() : write(node, s -> calls.claim(s, node.id, at, places));
        if (claimed != null) {
            claimed.forEach(stored -> node.tasks.add(new Task(calls.call(stored))));
            node.capacity.giveBack(at, places - claimed.size());
        }
    }

    /** One call of a node goes one step further: recorded as sent, sent, settled. */
    private void advance(SimulatedNode node) throws SQLException {
        if (node.tasks.isEmpty()) {
            return;
        }
        Task task = node.tasks.get(dice.nextInt(node.tasks.size()));
        if (bug == PlantedBug.SENT_AFTER_SEND && task.seen == null) {
            leave(task);
        } else if (!task.recorded) {
            Boolean recorded =
                    write(node, s -> calls.sent(s, node.id, List.of(task.call)).get(0));
            task.recorded = Boolean.TRUE.equals(recorded);
            if (Boolean.FALSE.equals(recorded)) {
                node.tasks.remove(task);
                node.capacity.giveBack(task.call.engine(), 1);
            } else if (recorded != null) {
                rules.sent(task.call);
            }
        } else if (task.seen == null) {
            leave(task);
        } else {
            settle(node, dice.nextBoolean() ? List.of(task) : node.answered());
        }
    }

    private void leave(Task task) throws SQLException {
        rules.leaves(task.call);
        task.seen = engine.ask(task.call);
    }

    /** Those that come to their end at the same moment are settled together. */
    private void settle(SimulatedNode node, List<Task> tasks) throws SQLException {
        List<SqlSettling.Settlement> ends = new ArrayList<>();
        for (Task task : tasks) {
            Verdict verdict = task.seen();
            node.tasks.remove(task);
            node.capacity.settled(task.call, verdict);
            ends.add(new SqlSettling.Settlement(task.call, verdict, Steps.of(verdict), new Reply(200, new byte[] {1})));
        }
        end(node, ends);
    }

    private void end(SimulatedNode node, List<SqlSettling.Settlement> ends) throws SQLException {
        List<Optional<Transition>> results = write(node, s -> settling.settle(s, node.id, ends));
        for (int i = 0; results != null && i < results.size(); i++) {
            rules.settled(
                    ends.get(i).call(), ends.get(i).verdict(), results.get(i).orElse(null));
        }
    }

    /** Accepted calls that are due are asked for; the process may end before it has recorded what it heard. */
    private void poll() throws SQLException {
        SimulatedNode node = active;
        for (String at : ENGINES) {
            List<SqlCalls.Stored> due = write(node, s -> polling.polling(s, at, Duration.ofSeconds(5), 2));
            for (SqlCalls.Stored stored : due == null ? List.<SqlCalls.Stored>of() : due) {
                Call call = calls.call(stored).beforeSend();
                Verdict verdict = engine.poll(call);
                end(node, List.of(new SqlSettling.Settlement(call, verdict, Steps.of(verdict), null)));
            }
        }
    }

    private SimulatedNode begin() throws SQLException {
        var node = new SimulatedNode(nextNode++, gates());
        session.update(
                "INSERT INTO node (id, boot, host, pid, started, lease) VALUES (?, ?, 'h', 1, 0, 0)",
                node.id,
                "boot " + node.id);
        nodes.add(node);
        active = node;
        if (write(node, s -> recovery.recover(s, node.id)) == null && active == node) {
            return begin();
        }
        return active;
    }

    /** The product's own breakers, limits and places, as each process has them in its memory. */
    private Capacity gates() {
        var engines = new Engines(
                ENGINES.stream()
                        .map(name -> Limits.settings(name, 3, null, null))
                        .toList(),
                RETRY,
                clock,
                clock);
        return engines.admission(List.of(new BudgetSettings(null, null, null)), since -> Spent.NOTHING, Map.of());
    }

    private void killed(SimulatedNode node) throws SQLException {
        node.tasks.clear();
        if (node == active) {
            nodes.remove(node);
            begin();
        }
    }

    private void kill() throws SQLException {
        killed(active);
    }

    /** The process stands still, another one takes its place, and it goes on as if nothing had happened. */
    private void pause() throws SQLException {
        active.paused = true;
        begin();
    }

    /** A person says what becomes of a call, as the commands have it. */
    private void decide() throws SQLException {
        List<SqlDecisions.Case> doubts = decisions.list(CallState.DOUBT);
        List<SqlDecisions.Case> dead = decisions.list(CallState.DEAD);
        if (!doubts.isEmpty()) {
            SqlDecisions.Case doubt = doubts.get(0);
            if (dice.nextInt(4) == 0) {
                decisions.acceptLoss(doubt);
            } else if (decisions.resend(doubt, doubt.engine())) {
                rules.allowed(doubt.id());
            }
        } else if (!dead.isEmpty() && decisions.retry(dead.get(0), job.engines().get(0))) {
            rules.allowed(dead.get(0).id());
        }
    }

    /** What waits for an engine that is left in peace goes on at the next, as the dispatcher has it. */
    private void fallBack() throws SQLException {
        Set<String> resending = rules.resend() ? Set.copyOf(ENGINES) : Set.of();
        SimulatedNode node = active;
        for (Move move : new Fallbacks(Map.of("j", job.engines()), resending).to("second", node.capacity.pauses())) {
            if (write(node, s -> engines.fallBack(s, node.id, move, 2)) != null) {
                claim(node, "second");
            }
        }
    }

    private void drop(String path) throws SQLException {
        ReceivedFile file = write(
                active,
                s -> intake.receive(s, new DroppedFile(path, job, DroppedFile.Kind.LINES, WatchedLedger.sha256(path))));
        if (file == null || file.known()) {
            return;
        }
        List<Entry> entries = SimulatedWorld.items(path.equals("a") ? 1 : 2);
        write(active, s -> {
            intake.record(s, file, entries);
            return intake.taken(s, file);
        });
    }

    /** No more accidents: whatever is left comes to its end. */
    private void finish() throws SQLException {
        for (int round = 0; round < 4000; round++) {
            SimulatedNode busy = nodes.stream()
                    .filter(node -> !node.tasks.isEmpty())
                    .findFirst()
                    .orElse(null);
            if (busy != null) {
                advance(busy);
            } else if (session.number("SELECT count(*) FROM call WHERE state IN ('CLAIMED', 'SENT')") > 0) {
                kill();
            } else if (session.number("SELECT count(*) FROM call WHERE state = 'POLLING'") > 0) {
                clock.pass(Duration.ofMinutes(2));
                poll();
            } else if (session.number("SELECT count(*) FROM call WHERE state = 'READY'") > 0) {
                clock.pass(Duration.ofMinutes(2));
                claim(active);
            } else {
                return;
            }
            rules.check();
        }
        throw new AssertionError("there is no end to it");
    }

    /** Whatever happened, an engine that is left in peace is asked again in the end. */
    private void checkPlaces() {
        clock.pass(Duration.ofDays(1));
        for (String name : ENGINES) {
            if (active.capacity.take(name, 1) != 1) {
                throw new AssertionError("engine " + name + " has lost its places");
            }
        }
    }
}
