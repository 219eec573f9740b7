package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A process with its calls under way. It may be paused while another takes its place, and come back. */
final class SimulatedNode {

    final long id;
    final Capacity capacity;
    final List<Task> tasks = new ArrayList<>();
    boolean paused;

    SimulatedNode(long id, Capacity capacity) {
        this.id = id;
        this.capacity = capacity;
    }

    /** Those of which the end is known, and not recorded. */
    List<Task> answered() {
        return tasks.stream().filter(task -> task.seen != null).toList();
    }

    /** One call on its way through the routes. */
    static final class Task {
        final Call call;
        boolean recorded;

        @Nullable
        Verdict seen;

        Task(Call call) {
            this.call = call;
        }

        Verdict seen() {
            return Objects.requireNonNull(seen);
        }
    }
}
