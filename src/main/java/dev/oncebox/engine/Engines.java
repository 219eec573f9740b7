package dev.oncebox.engine;

import dev.oncebox.CrashPoint;
import dev.oncebox.config.BudgetSettings;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Answer;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Capacity;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.Ledger.Spent;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Share;
import dev.oncebox.ledger.Variables;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.camel.CamelContext;
import org.apache.camel.Component;
import org.apache.camel.Endpoint;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.http.common.HttpMethods;
import org.apache.camel.util.IOHelper;
import org.apache.camel.util.ObjectHelper;

/**
 * All engines of the configuration, as the dispatch route uses them: {@link #prepare} makes the request of a call,
 * {@code ref:engine-NAME} sends it, {@link #read} or {@link #failed} says what became of it.
 */
public final class Engines implements AutoCloseable {

    private static final int MOST_REDIRECTS = 5;

    private final Map<String, Engine> engines = new TreeMap<>();
    private final Map<String, Wire> wires = new ConcurrentHashMap<>();
    private final Clock clock;

    public Engines(Collection<EngineSettings> settings, Retry retry, Clock clock) {
        this(settings, retry, clock, System::nanoTime);
    }

    /**
     * @param nanoTime what passes without being set, as {@link System#nanoTime}
     */
    public Engines(Collection<EngineSettings> settings, Retry retry, Clock clock, LongSupplier nanoTime) {
        this.clock = clock;
        for (EngineSettings each : settings) {
            engines.put(each.name(), new Engine(each, new Gate(each, retry, clock, nanoTime)));
        }
    }

    /**
     * What lets calls start at these engines.
     *
     * @param budgets all of which must have something left
     * @param spent what was charged since a moment, epoch milliseconds
     * @param before the engines that were sent nothing when the last process ended: each is probed first
     */
    public Capacity admission(List<BudgetSettings> budgets, LongFunction<Spent> spent, Map<String, Pause> before) {
        return admission(budgets, spent, before, () -> Share.ALL);
    }

    /**
     * The same for one of several nodes.
     *
     * @param share its part of the limits a minute
     */
    public Capacity admission(
            List<BudgetSettings> budgets, LongFunction<Spent> spent, Map<String, Pause> before, Supplier<Share> share) {
        Map<String, Gate> gates = new TreeMap<>();
        Map<String, Duration> polled = new TreeMap<>();
        Map<String, Gathering> gathering = new TreeMap<>();
        engines.forEach((name, engine) -> {
            gates.put(name, engine.gate());
            if (engine.settings().protocol().isAsynchronous()) {
                polled.put(name, engine.settings().async().poll());
            }
            if (engine.settings().protocol().isBatch()) {
                var batch = engine.settings().async().batch();
                gathering.put(name, new Gathering(batch.calls(), batch.age(), batch.bytes()));
            }
        });
        return new Admission(
                gates,
                polled,
                gathering,
                budgets.stream().map(budget -> new Budget(budget, clock, spent)).toList(),
                before,
                share);
    }

    /**
     * Binds an HTTP endpoint for each engine, under the name {@code engine-NAME}, and those for whole bodies that are no
     * chats, under {@link Call#endpoint}; returns them.
     */
    public List<Endpoint> bindEndpoints(CamelContext context) {
        List<Endpoint> bound = new ArrayList<>();
        for (Engine engine : engines.values()) {
            EngineSettings settings = engine.settings();
            bound.add(bind(context, settings, settings.name(), settings.url()));
            if (settings.protocol() == EngineSettings.Protocol.OPENAI
                    || settings.protocol() == EngineSettings.Protocol.OPENAI_RESPONSES) {
                Passing.PATHS.forEach((url, path) -> {
                    URI address = Passing.sibling(settings.url(), path);
                    if (address != null) {
                        bound.add(bind(context, settings, Call.endpointFor(settings.name(), url), address));
                    }
                });
            }
        }
        return bound;
    }

    private static Endpoint bind(CamelContext context, EngineSettings settings, String name, URI address) {
        HttpEndpoint endpoint = endpoint(context, settings, name, address);
        if (!endpoint.getHttpUri().equals(address)) {
            throw new ConfigException("engine." + settings.name() + ".url: a parameter of the address means"
                    + " something to the HTTP client, so the endpoint would not receive it. Rename or remove it.");
        }
        endpoint.setHttpMethod(HttpMethods.POST);
        endpoint.setThrowExceptionOnFailure(false);
        endpoint.setSkipControlHeaders(true);
        endpoint.setCopyHeaders(false);
        endpoint.setFollowRedirects(false);
        endpoint.setHttpClientConfigurer(
                new SingleSend(settings.timeout(), settings.connectTimeout(), settings.concurrency()));
        context.getRegistry().bind("engine-" + name, endpoint);
        return endpoint;
    }

    /**
     * An endpoint of the engine's own: the context has one an address, and engines at one address differ in timeouts.
     *
     * <p>It is known by the routes' very name for it. Camel's {@code ref} would register it by its address when it is
     * first asked for, and stop what it finds there: with two calls at once the same endpoint, else another engine's.
     */
    private static HttpEndpoint endpoint(CamelContext context, EngineSettings settings, String name, URI address) {
        try {
            Component component = context.getComponent(address.getScheme());
            Endpoint endpoint = component.createEndpoint(address.toString());
            context.addEndpoint("ref:engine-" + name, endpoint);
            return (HttpEndpoint) endpoint;
        } catch (Exception e) {
            throw new ConfigException("engine." + settings.name() + ".url cannot be used: " + e.getMessage());
        }
    }

    /** Makes the body and the headers of the call's request. Nothing else of the exchange may reach the endpoint. */
    public void prepare(Exchange exchange) throws CallFailed {
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Engine engine = engine(call);
        Message message = exchange.getMessage();
        message.removeHeaders("*");
        message.setBody(engine.body(call));
        engine.headers(call).forEach(message::setHeader);
    }

    /** Keeps the reply, and takes the answer out of it; what is no answer is thrown with its verdict. */
    public void read(Exchange exchange) throws CallFailed {
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Engine engine = engine(call);
        Message message = exchange.getMessage();
        Map<String, String> headers = new HashMap<>();
        message.getHeaders()
                .forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), String.valueOf(value)));
        int status = message.getHeader(Exchange.HTTP_RESPONSE_CODE, 0, Integer.class);
        byte[] body = Objects.requireNonNullElse(message.getBody(byte[].class), new byte[0]);
        message.removeHeaders("*");
        String cut = headers.get(SingleSend.CUT.toLowerCase(Locale.ROOT));
        var response = new Observed.Response(status, headers, body, cut);
        exchange.setVariable(Variables.REPLY, engine.reply(response, engine.withoutSecrets(body)));
        engine.gate().heard(headers, clock.instant());
        boolean late = headers.containsKey(SingleSend.LATE.toLowerCase(Locale.ROOT));
        Verdict verdict = engine.judge(call, response, clock.instant());
        if (verdict instanceof Verdict.Accepted) {
            exchange.setVariable(Variables.VERDICT, verdict);
            return;
        }
        // a success that did not come in time is no reply, and the engine's on-doubt decides; its bytes are kept
        if (cut != null && late && status >= 200 && status < 300) {
            throw new CallFailed(engine.judge(
                    call, new Observed.Failure(new DeadlineException(cut, new IOException(cut))), clock.instant()));
        }
        if (!(verdict instanceof Verdict.Valid valid)) {
            byte[] shown = engine.withoutSecrets(body);
            throw new CallFailed(
                    engine.judge(call, new Observed.Response(status, headers, shown, cut), clock.instant()));
        }
        // an answer is kept and delivered as it was paid for, even where it holds what a header holds
        exchange.setVariable(Variables.REPLY, engine.reply(response, body));
        exchange.setVariable(Variables.ANSWER, valid.answer());
    }

    /** Asks an asynchronous engine for the answer of a call that it accepted. Costs nothing. */
    public void ask(Exchange exchange) throws CallFailed {
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Engine engine = engine(call);
        Call.Remote remote = Objects.requireNonNull(call.remote());
        Observed observed = ask(engine, URI.create(remote.address()));
        CrashPoint.AFTER_ASKING.reach();
        if (observed instanceof Observed.Response response) {
            exchange.setVariable(Variables.REPLY, engine.reply(response, response.body()));
        }
        if (engine.asked(observed, remote, clock.instant()) instanceof Verdict.Valid valid) {
            exchange.setVariable(Variables.ANSWER, valid.answer());
            return;
        }
        Observed shown = observed;
        if (observed instanceof Observed.Response response) {
            byte[] body = engine.withoutSecrets(response.body());
            exchange.setVariable(Variables.REPLY, engine.reply(response, body));
            shown = new Observed.Response(response.status(), response.headers(), body, response.cut());
        }
        Verdict verdict = engine.asked(shown, remote, clock.instant());
        if (!(verdict instanceof Verdict.Running)) {
            throw new CallFailed(verdict);
        }
        exchange.setVariable(Variables.VERDICT, verdict);
    }

    /** Where a redirect leads is asked at once, and not remembered: the job's address is the one that it was given. */
    private Observed ask(Engine engine, URI address) {
        URI at = address;
        Observed observed = wire(engine).get(engine.whole(at), engine.headers(at));
        for (int hop = 0; hop < MOST_REDIRECTS; hop++) {
            URI next = Question.elsewhere(observed, at);
            if (next == null) {
                break;
            }
            at = next;
            observed = wire(engine).get(engine.whole(at), engine.headers(at));
        }
        return observed;
    }

    /**
     * Tells an engine that nobody waits for the answer of a call that it accepted.
     *
     * @return what came of it, a sentence for people
     */
    public String giveUp(String name, String address) {
        Engine engine = engines.get(name);
        if (engine == null) {
            return "Its engine, " + name + ", is configured no more and was not told. Its job may go on at " + address;
        }
        URI cancellation = engine.cancellation(URI.create(address));
        if (cancellation == null) {
            return "No way is known to tell " + name + ". Its job may go on at " + address;
        }
        Observed observed = wire(engine).post(engine.whole(cancellation), engine.headers(cancellation), null);
        if (observed instanceof Observed.Response response && response.status() / 100 == 2) {
            String said = engine.said(response).replaceAll("[^A-Za-z0-9_-]", "");
            return name + " was told to give it up" + (said.isEmpty() ? "." : ", and says: " + said);
        }
        return name + " could not be told ("
                + (observed instanceof Observed.Response response
                        ? "it answered " + response.status()
                        : ((Observed.Failure) observed).cause().getClass().getSimpleName())
                + "). Its job may go on at " + address;
    }

    Wire wire(Engine engine) {
        return wires.computeIfAbsent(engine.settings().name(), name -> new Wire(engine.settings()));
    }

    /** The answer in a whole reply that was kept, read as when it came. */
    public Answer answer(Call call, Reply reply) throws CallFailed {
        Verdict verdict = engine(call)
                .judge(call, new Observed.Response(reply.status(), Map.of(), reply.body(), null), clock.instant());
        if (verdict instanceof Verdict.Valid valid) {
            return valid.answer();
        }
        throw new CallFailed(verdict);
    }

    /** What it means that the route failed: a verdict on its way, perhaps wrapped in others; else that no reply came. */
    public Verdict failed(Exchange exchange) {
        Throwable cause = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class);
        CallFailed judged = ObjectHelper.getException(CallFailed.class, cause);
        if (judged != null) {
            return judged.verdict();
        }
        Call call = exchange.getVariable(Variables.CALL, Call.class);
        Engine engine = engine(
                call == null
                        ? exchange.getVariable(Variables.BATCH, Batch.class).engine()
                        : call.engine());
        if (exchange.getVariable(Variables.ASKED) != null) {
            return new Verdict.Running(
                    "Oncebox failed while it asked: " + cause.getClass().getSimpleName() + ".",
                    false,
                    engine.settings().async().poll());
        }
        if (exchange.getVariable(Variables.SENT) == null) {
            return new Verdict.Unsent(
                    "not_recorded", "Nothing was sent, since the send could not be recorded: " + cause.getMessage());
        }
        if (cause instanceof IOException failure) {
            return engine.judge(new Observed.Failure(failure), clock.instant());
        }
        return new Verdict.Unknown(
                "internal_error",
                "Oncebox failed while the call was in flight: "
                        + cause.getClass().getSimpleName(),
                false);
    }

    @Override
    public void close() {
        wires.values().forEach(IOHelper::close);
    }

    private Engine engine(Call call) {
        return engine(call.engine());
    }

    Engine engine(String name) {
        Engine engine = engines.get(name);
        if (engine == null) {
            throw new IllegalStateException("no engine is named " + name);
        }
        return engine;
    }
}
