package dev.oncebox.operate.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.operate.Status;
import dev.oncebox.operate.Watch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckHelper;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;

/** Whether the runtime can do its work, each part with its reason; Camel's own checks stand among ours. */
final class Health {

    private static final String GROUP = "oncebox";
    private static final long LEAST_ROOM = 100L << 20;

    private final CamelContext context;

    /** What a check found; throws what it failed with. */
    @FunctionalInterface
    private interface Look {
        Finding look() throws IOException;
    }

    private record Finding(HealthCheck.State state, String reason) {
        static Finding up(String reason) {
            return new Finding(HealthCheck.State.UP, reason);
        }

        static Finding down(String reason) {
            return new Finding(HealthCheck.State.DOWN, reason);
        }
    }

    /** One of ours. */
    private static final class Check extends AbstractHealthCheck {

        private final Look look;
        private final boolean vital;

        /** @param vital whether a process that fails it should be started anew */
        Check(String id, boolean vital, Look look) {
            super(GROUP, id);
            this.look = look;
            this.vital = vital;
        }

        @Override
        public boolean isLiveness() {
            return vital;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder builder, Map<String, Object> options) {
            try {
                Finding finding = look.look();
                builder.state(finding.state()).message(finding.reason());
            } catch (IOException | RuntimeException e) {
                builder.down().message(String.valueOf(e.getMessage()));
            }
        }
    }

    /**
     * @param folders that are written to, by what they are called
     * @param data the folder of the ledger
     */
    Health(CamelContext context, Watch watch, Map<String, Path> folders, Path data) {
        this.context = context;
        HealthCheckRegistry registry = HealthCheckRegistry.get(context);
        registry.setExposureLevel("full");
        registry.register(new Check("ledger", true, () -> {
            watch.queueAge();
            return Finding.up("It can be read.");
        }));
        registry.register(new Check("disk", false, () -> room(data, folders.values())));
        registry.register(new Check("folders", false, () -> usable(folders)));
        registry.register(new Check("engines", false, () -> engines(watch.status())));
    }

    private static Finding room(Path data, Collection<Path> folders) throws IOException {
        long least = Files.getFileStore(data).getUsableSpace();
        for (Path folder : folders) {
            least = Math.min(least, Files.getFileStore(folder).getUsableSpace());
        }
        String room = (least >> 20) + " MB are free";
        return least < LEAST_ROOM ? Finding.down("Only " + room + ". Make room.") : Finding.up(room + ".");
    }

    private static Finding usable(Map<String, Path> folders) {
        List<String> bad = folders.entrySet().stream()
                .filter(each -> !Files.isReadable(each.getValue()) || !Files.isWritable(each.getValue()))
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .sorted()
                .toList();
        return bad.isEmpty()
                ? Finding.up("All can be read and written.")
                : Finding.down("Cannot be read and written: " + String.join(", ", bad) + ". Check their rights.");
    }

    private static Finding engines(Status status) {
        List<String> closed = status.engines().entrySet().stream()
                .filter(each -> !each.getValue().breaker().equals("closed"))
                .map(each ->
                        each.getKey() + " is left in peace: " + each.getValue().reason())
                .toList();
        if (closed.isEmpty()) {
            return status.budget() == null
                    ? Finding.up("Calls can be sent to all.")
                    : Finding.up(status.budget().reason());
        }
        String all = String.join(" ", closed);
        return closed.size() == status.engines().size() ? Finding.down(all) : Finding.up(all);
    }

    /** What is asked of somebody who gives the process work. */
    void ready(Exchange exchange) {
        answer(exchange, HealthCheckHelper.invokeReadiness(context));
    }

    /** What is asked of somebody who would start it anew. */
    void live(Exchange exchange) {
        answer(exchange, HealthCheckHelper.invokeLiveness(context));
    }

    /** Camel has a check for every route, which nobody reads while all is well. */
    private static boolean isWorthTelling(HealthCheck.Result result) {
        return result.getState() != HealthCheck.State.UP
                || GROUP.equals(result.getCheck().getGroup())
                || result.getCheck().getId().equals("context");
    }

    private static void answer(Exchange exchange, Collection<HealthCheck.Result> results) {
        boolean up = results.stream().allMatch(result -> result.getState() != HealthCheck.State.DOWN);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("status", up ? "UP" : "DOWN");
        ArrayNode checks = json.putArray("checks");
        results.stream()
                .filter(Health::isWorthTelling)
                .sorted(Comparator.comparing(
                        (HealthCheck.Result result) -> result.getCheck().getId()))
                .forEach(result -> checks.addObject()
                        .put("name", result.getCheck().getId())
                        .put("status", result.getState().name())
                        .put("reason", result.getMessage().orElse("")));
        Rows.reply(exchange, up ? 200 : 503, json.toString());
    }
}
