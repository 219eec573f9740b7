package dev.oncebox.operate.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.oncebox.config.Settings;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.sql.SqlDecisions;
import dev.oncebox.operate.Decision;
import dev.oncebox.operate.Reports;
import dev.oncebox.operate.Status;
import dev.oncebox.operate.Watch;
import java.time.Clock;
import java.util.Locale;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the page asks for and the SQL of routes cannot say, and what its buttons do. */
public final class PageApi {

    private static final Logger LOG = LoggerFactory.getLogger(PageApi.class);
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{64}");
    private static final int MOST_EVENTS = 1000;
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,12}");
    private static final int MOST_DECISIONS = 200;
    private static final String NO_DECISION = "There is no such decision.";
    private static final String UNKNOWN = "The ledger knows no such call.";

    private final Settings settings;
    private final Watch watch;
    private final Supplier<Reports> reports;
    private final BinaryOperator<String> giveUp;
    private final Clock clock;

    /**
     * @param reports opens the ledger for looking at it
     * @param giveUp tells the engine of this name that nobody waits for the call at this address; returns what came of
     *     it, a sentence
     */
    PageApi(Settings settings, Watch watch, Supplier<Reports> reports, BinaryOperator<String> giveUp, Clock clock) {
        this.settings = settings;
        this.watch = watch;
        this.reports = reports;
        this.giveUp = giveUp;
        this.clock = clock;
    }

    /** How things stand: that of {@code oncebox status --json}, with the time, what was saved and the engines' limits. */
    public void status(Exchange exchange) {
        Status status = watch.status();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("now", clock.millis());
        json.put("saved", Watch.saved(status));
        json.putRawValue("status", new RawValue(status.json()));
        ObjectNode limits = json.putObject("limits");
        settings.engines().forEach((name, engine) -> limits.putObject(name)
                .put("concurrency", engine.concurrency())
                .put("requestsPerMinute", engine.requestsPerMinute())
                .put("tokensPerMinute", engine.tokensPerMinute()));
        Rows.reply(exchange, 200, json.toString());
    }

    /** The curve of the last hour, a list of equal length for each sum. */
    public void throughput(Exchange exchange) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode at = json.putArray("at");
        ArrayNode answered = json.putArray("answered");
        ArrayNode failed = json.putArray("failed");
        ArrayNode sent = json.putArray("sent");
        for (Watch.Sample sample : watch.samples()) {
            at.add(sample.at());
            answered.add(sample.answered());
            failed.add(sample.failed());
            sent.add(sample.sent());
        }
        Rows.reply(exchange, 200, json.toString());
    }

    /** The events of a call, oldest first, as {@code oncebox journal KEY} prints them; the first thousand. */
    public void journal(Exchange exchange) {
        String key = key(exchange);
        var lines = new StringBuilder("[");
        var count = new int[1];
        try (Reports open = reports.get()) {
            boolean found = key != null
                    && open.journal(key, line -> {
                        if (count[0]++ < MOST_EVENTS) {
                            lines.append(lines.length() == 1 ? "" : ",").append(line);
                        }
                    });
            if (found) {
                Rows.reply(exchange, 200, lines.append(']').toString());
            } else {
                Rows.reply(exchange, 404, Replies.error(UNKNOWN));
            }
        }
    }

    /** What a person decided about one call. */
    public void decide(Exchange exchange) {
        String key = key(exchange);
        Decision decision = decision(exchange.getMessage().getHeader("decision", String.class));
        if (key == null || decision == null) {
            Rows.reply(exchange, 404, Replies.error(UNKNOWN));
            return;
        }
        try (SqlDecisions decisions = SqlDecisions.open(settings.ledger(), clock)) {
            SqlDecisions.Case call = decisions.find(key);
            if (call == null) {
                Rows.reply(exchange, 404, Replies.error(UNKNOWN));
            } else if (!decision.states().contains(call.state())) {
                Rows.reply(exchange, 409, Replies.error("This call was settled meanwhile."));
            } else if (decision != Decision.ACCEPT_LOSS && !call.sendable()) {
                Rows.reply(
                        exchange,
                        409,
                        Replies.error("What is to be asked was purged. Drop the file that asks it into the inbox again,"
                                + " then retry."));
            } else if (!decision.make(decisions, call, settings)) {
                Rows.reply(exchange, 409, Replies.error("This call was settled meanwhile."));
            } else {
                CallName name = decisions.name(call);
                name.in(LOG.atInfo()).log("{}: a person decided on the page: {}", name, decision.word());
                ObjectNode json = JsonNodeFactory.instance.objectNode();
                json.put("key", key).put("decision", decision.word()).put("said", said(decision, call));
                Rows.reply(exchange, 200, json.toString());
            }
        }
    }

    /** How many calls a decision about all would be about. */
    public void all(Exchange exchange) {
        Decision decision = decision(exchange.getMessage().getHeader("decision", String.class));
        if (decision == null) {
            Rows.reply(exchange, 404, Replies.error(NO_DECISION));
            return;
        }
        try (SqlDecisions decisions = SqlDecisions.reading(settings.ledger(), clock)) {
            Rows.reply(
                    exchange,
                    200,
                    counted(decision)
                            .put("calls", decisions.countAll(decision.all()))
                            .toString());
        }
    }

    /**
     * What a person decided about all calls that wait for it. They are told how many these are first: when there are
     * others by now, nothing is done. At most {@link #MOST_DECISIONS} at a time.
     */
    public void decideAll(Exchange exchange) {
        Decision decision = decision(exchange.getMessage().getHeader("decision", String.class));
        String calls = exchange.getMessage().getHeader("calls", "", String.class);
        if (decision == null || !COUNT.matcher(calls).matches()) {
            Rows.reply(exchange, 404, Replies.error(NO_DECISION));
            return;
        }
        long expected = Long.parseLong(calls);
        try (SqlDecisions decisions = SqlDecisions.open(settings.ledger(), clock)) {
            long found = decisions.countAll(decision.all());
            if (found != expected) {
                Rows.reply(exchange, 409, Replies.error("These are " + found + " calls by now. Look again."));
                return;
            }
            long decided = decisions.all(decision.all(), Math.min(expected, MOST_DECISIONS)).stream()
                    .filter(call -> decision.make(decisions, call, settings))
                    .count();
            LOG.info("a person decided on the page about {} calls: {}", decided, decision.word());
            Rows.reply(exchange, 200, counted(decision).put("decided", decided).toString());
        }
    }

    private static ObjectNode counted(Decision decision) {
        return JsonNodeFactory.instance.objectNode().put("decision", decision.word());
    }

    private String said(Decision decision, SqlDecisions.Case call) {
        String address = call.remote();
        return decision == Decision.ACCEPT_LOSS && call.state() == CallState.POLLING && address != null
                ? giveUp.apply(call.engine(), address)
                : "";
    }

    private static @Nullable String key(Exchange exchange) {
        String key = exchange.getMessage().getHeader("key", "", String.class);
        return KEY.matcher(key).matches() ? key : null;
    }

    private static @Nullable Decision decision(@Nullable String word) {
        for (Decision decision : Decision.values()) {
            if (decision.word().equals(word == null ? null : word.toLowerCase(Locale.ROOT))) {
                return decision;
            }
        }
        return null;
    }
}
