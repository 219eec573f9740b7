package dev.oncebox.engine;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Verdict;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Lets calls start as far as their engine and the budgets allow. */
final class Admission implements Capacity {

    private final Map<String, Gate> gates;
    private final Map<String, Duration> polled;
    private final Map<String, Gathering> gathering;
    private final List<Budget> budgets;
    private final Supplier<Share> share;

    Admission(
            Map<String, Gate> gates,
            Map<String, Duration> polled,
            Map<String, Gathering> gathering,
            List<Budget> budgets,
            Map<String, Pause> before,
            Supplier<Share> share) {
        this.gates = gates;
        this.polled = polled;
        this.gathering = gathering;
        this.budgets = budgets;
        this.share = share;
        before.forEach((name, pause) -> {
            Gate gate = gates.get(name);
            if (gate != null) {
                gate.probe(pause);
            }
        });
    }

    @Override
    public Collection<String> engines() {
        return gates.keySet();
    }

    @Override
    public synchronized int take(String engine, int wanted) {
        int allowed = wanted;
        Share now = share.get();
        gate(engine).share(now);
        for (Budget budget : budgets) {
            budget.follow(now);
            allowed = budget.left(allowed);
        }
        int taken = gate(engine).take(allowed);
        budgets.forEach(budget -> budget.take(taken));
        return taken;
    }

    @Override
    public void giveBack(String engine, int places) {
        if (places > 0) {
            gate(engine).giveBack(places);
            budgets.forEach(budget -> budget.giveBack(places));
        }
    }

    @Override
    public void settled(Call call, Verdict verdict) {
        gate(call.engine()).settled(call, verdict);
        budgets.forEach(budget -> budget.settled(call.id(), verdict));
    }

    @Override
    public Map<String, Duration> polled() {
        return polled;
    }

    @Override
    public Map<String, Gathering> gathering() {
        return gathering;
    }

    @Override
    public void asked(Call call, Verdict verdict) {
        if (!(verdict instanceof Verdict.Running)) {
            budgets.forEach(budget -> budget.priced(call.id(), verdict));
        }
    }

    @Override
    public Map<String, Pause> pauses() {
        Map<String, Pause> pauses = new TreeMap<>();
        gates.forEach((engine, gate) -> {
            Pause pause = gate.pause();
            if (pause != null) {
                pauses.put(engine, pause);
            }
        });
        for (Budget budget : budgets) {
            Pause pause = budget.pause();
            if (pause != null) {
                pauses.put(Pause.BUDGET, pause);
            }
        }
        return pauses;
    }

    private Gate gate(String engine) {
        return Objects.requireNonNull(gates.get(engine));
    }
}
