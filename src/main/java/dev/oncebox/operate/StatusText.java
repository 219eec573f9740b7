package dev.oncebox.operate;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** A status for somebody who was woken up by it: what stands still comes with what to do about it. */
final class StatusText {

    private final StringBuilder text = new StringBuilder();

    private StatusText() {}

    static String of(Status status) {
        var page = new StatusText();
        page.worker(status);
        page.work(status);
        page.trouble(status.calls());
        page.money(status);
        page.engines(status);
        page.budget(status.budget());
        return page.text.toString();
    }

    private void worker(Status status) {
        if (status.nodes().isEmpty()) {
            line("worker", "not running. Start it with: oncebox run");
        }
        for (Status.Node node : status.nodes()) {
            line("worker", "running on " + node.host() + ", pid " + node.pid() + ", since " + node.started());
        }
    }

    private void work(Status status) {
        Status.FileCounts files = status.files();
        String rejected = files.rejected() == 0 ? "" : " (why: rejected/…/NAME.error.json)";
        line(
                "files",
                files.taken() + " taken, " + files.delivered() + " delivered, " + files.rejected() + " rejected"
                        + rejected);
        Status.ItemCounts items = status.items();
        String failed = items.failed() == 0 ? "" : " (why: the errors files in the outbox)";
        line(
                "items",
                items.total() + " in all, " + items.answered() + " answered, " + items.pending() + " pending, "
                        + items.failed() + " failed" + failed);
        Status.CallCounts calls = status.calls();
        line(
                "calls",
                calls.done() + " done, " + calls.ready() + " ready, " + calls.sent() + " in flight, " + calls.polling()
                        + " polling");
    }

    private void trouble(Status.CallCounts calls) {
        line(
                "in doubt",
                calls.doubt() == 0
                        ? "none"
                        : calls.doubt()
                                + ": sent, and nobody knows whether it was processed. A person decides: oncebox doubt"
                                + " list");
        line(
                "dead",
                calls.dead() == 0
                        ? "none"
                        : calls.dead()
                                + ": failed for good, and not tried again by itself. See why: oncebox dead list");
    }

    private void money(Status status) {
        line(
                "sends",
                status.sent() + " ever started; of the answers " + status.fresh() + " new, " + status.reused()
                        + " reused");
        BigDecimal cost = status.cost();
        line(
                "cost",
                cost == null
                        ? "unknown (an engine has no price set, or did not say what it used)"
                        : cost.toPlainString());
    }

    private void engines(Status status) {
        status.engines().forEach((name, engine) -> {
            var text = new StringBuilder(name + ": " + engine.inFlight() + " in flight");
            if (engine.waiting() > 0) {
                text.append(", ")
                        .append(engine.waiting())
                        .append(" waiting for later, the first until ")
                        .append(engine.nextDue());
            }
            if (engine.polling() > 0) {
                text.append(", ")
                        .append(engine.polling())
                        .append(" accepted and not answered yet, since ")
                        .append(engine.pollingSince());
            }
            if (engine.orphaned()) {
                text.append(
                        ", and nobody asks for them: no asynchronous engine of this name is configured. Configure it"
                                + " again as it was, or give them up: oncebox doubt list");
            }
            text.append(", breaker ").append(engine.breaker());
            if (engine.resumesAt() != null) {
                text.append(", resumes at ").append(engine.resumesAt());
            }
            if (engine.reason() != null) {
                text.append(": ").append(engine.reason());
            }
            line("engine", text.toString());
        });
    }

    private void budget(Status.@Nullable Budget budget) {
        if (budget != null) {
            String until = budget.resumesAt() == null ? "until the next run" : "until " + budget.resumesAt();
            line(
                    "budget",
                    budget.reason() + " Nothing is sent " + until + ". What a file has so far: oncebox answers FILE");
        }
    }

    private void line(String label, String value) {
        text.append(String.format("%-10s", label)).append(value).append('\n');
    }
}
