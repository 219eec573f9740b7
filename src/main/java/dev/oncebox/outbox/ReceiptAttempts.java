package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.Outcome;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The part of a receipt that tells what was sent where and what each send cost. */
final class ReceiptAttempts {

    /** Beyond this many the journal tells; a receipt should stay readable. */
    private static final int MOST_CALLS = 1000;

    private static final class Sum {
        private long sends;
        private long charged;
        private long free;
        private long unknown;
        private @Nullable BigDecimal cost = BigDecimal.ZERO;
    }

    private record Repeated(String id, Outcome.CallRecord call) {}

    private final Map<String, Sum> engines = new TreeMap<>();
    private final List<Repeated> repeated = new ArrayList<>();
    private long more;

    void add(String id, Outcome.CallRecord call, boolean answered) {
        if (call.sends() == 1) {
            add(call.engine(), single(call, answered), call.cost());
        }
        if (call.sends() > 1) {
            call.history().forEach(attempt -> add(attempt.engine(), attempt.charged(), attempt.cost()));
            if (repeated.size() < MOST_CALLS) {
                repeated.add(new Repeated(id, call));
            } else {
                more++;
            }
        }
    }

    private static Charged single(Outcome.CallRecord call, boolean answered) {
        if (call.doubts() > 0) {
            return Charged.UNKNOWN;
        }
        return answered || call.attempts() > 0 ? Charged.YES : Charged.NO;
    }

    private void add(String engine, Charged charged, @Nullable BigDecimal cost) {
        Sum sum = engines.computeIfAbsent(engine, name -> new Sum());
        sum.sends++;
        switch (charged) {
            case YES -> sum.charged++;
            case NO -> sum.free++;
            case UNKNOWN -> sum.unknown++;
        }
        if (charged != Charged.NO) {
            sum.cost = sum.cost == null || cost == null ? null : sum.cost.add(cost);
        }
    }

    void write(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("attempts");
        for (Map.Entry<String, Sum> engine : engines.entrySet()) {
            Sum sum = engine.getValue();
            json.writeObjectFieldStart(engine.getKey());
            json.writeNumberField("sent", sum.sends);
            json.writeNumberField("charged", sum.charged);
            json.writeNumberField("free", sum.free);
            json.writeNumberField("unknown", sum.unknown);
            Receipt.writeNumber(json, "cost", plain(sum.cost));
            json.writeEndObject();
        }
        json.writeEndObject();
        if (repeated.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("sentMoreThanOnce");
        for (Repeated each : repeated) {
            write(json, each);
        }
        json.writeEndArray();
        if (more > 0) {
            json.writeNumberField("sentMoreThanOnceAndNotListed", more);
        }
    }

    private static void write(JsonGenerator json, Repeated each) throws IOException {
        json.writeStartObject();
        json.writeFieldName("id");
        json.writeRawValue(each.id());
        json.writeStringField("key", each.call().key());
        json.writeArrayFieldStart("attempts");
        for (Outcome.Attempt attempt : each.call().history()) {
            json.writeStartObject();
            json.writeNumberField("attempt", attempt.send());
            json.writeStringField("engine", attempt.engine());
            json.writeStringField("event", attempt.event().name());
            json.writeStringField("charged", attempt.charged().name().toLowerCase(Locale.ROOT));
            Receipt.writeNumber(json, "cost", plain(attempt.cost()));
            json.writeStringField("requestId", attempt.requestId());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static @Nullable String plain(@Nullable BigDecimal cost) {
        return cost == null ? null : cost.stripTrailingZeros().toPlainString();
    }
}
