package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Usage;
import dev.oncebox.ledger.Verdict;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One model endpoint: what to send to it, and what its replies mean and cost. */
final class Engine {

    /** A rough guess, until the engine says how many it were. */
    private static final int BYTES_PER_TOKEN = 4;

    private static final BigDecimal PER_MILLION = new BigDecimal("0.000001");

    private final EngineSettings settings;
    private final Gate gate;
    private final Protocol protocol;
    private final @Nullable ProgressTable progress;
    private final @Nullable BatchProtocol batches;
    private final List<String> secrets = new ArrayList<>();

    Engine(EngineSettings settings, Gate gate) {
        this.settings = settings;
        this.gate = gate;
        this.batches = switch (settings.protocol()) {
            case OPENAI_BATCH -> new OpenAiBatchProtocol();
            case ANTHROPIC_BATCH -> new AnthropicBatchProtocol();
            default -> null;
        };
        this.protocol = switch (settings.protocol()) {
            case OPENAI -> new OpenAiProtocol();
            case ANTHROPIC -> new AnthropicProtocol();
            case OLLAMA -> new OllamaProtocol();
            case JSON -> json(settings);
            case ASYNC -> new AsyncProtocol(json(settings), settings.async());
            case OPENAI_RESPONSES -> new ResponsesProtocol();
            case OPENAI_BATCH, ANTHROPIC_BATCH ->
                Objects.requireNonNull(batches).calls();
        };
        this.progress = protocol instanceof DeferredProtocol deferred
                ? new ProgressTable(deferred, settings.async(), this::priced, settings.unpaidStatuses())
                : null;
        settings.headers().values().forEach(header -> secrets.add(header.value()));
        if (settings.apiKey() != null) {
            secrets.add(settings.apiKey().value());
        }
        for (String parameter : parameters(settings.url())) {
            secrets.add(value(parameter));
            secrets.add(URLDecoder.decode(value(parameter), StandardCharsets.UTF_8));
        }
        secrets.removeIf(secret -> secret.length() < 8);
    }

    private static JsonProtocol json(EngineSettings settings) {
        return new JsonProtocol(Objects.requireNonNull(settings.body()), settings.answer());
    }

    EngineSettings settings() {
        return settings;
    }

    Gate gate() {
        return gate;
    }

    /**
     * What is sent for a call.
     *
     * @throws CallFailed when the engine has no endpoint for it
     */
    byte[] body(Call call) throws CallFailed {
        JsonNode body = written(call);
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        gate.expect(call, bytes.length / BYTES_PER_TOKEN + longestAnswer(body));
        return bytes;
    }

    private JsonNode written(Call call) throws CallFailed {
        Request request = Passing.request(settings, call.request());
        return Passing.protocol(settings, protocol, request).body(request, call.keyHex());
    }

    /** In tokens; 0 when the request does not say. */
    private static long longestAnswer(JsonNode body) {
        return Stream.of("/max_tokens", "/max_completion_tokens", "/options/num_predict")
                .map(body::at)
                .filter(most -> most.canConvertToInt() && most.intValue() > 0)
                .mapToLong(JsonNode::longValue)
                .findFirst()
                .orElse(0);
    }

    /** Everything that is sent beside the body: the key that the endpoint may de-duplicate by, and the secrets. */
    Map<String, String> headers(Call call) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.put("Content-Type", "application/json");
        headers.put("Accept", "application/json");
        headers.putAll(protocol.headers(settings.apiKey()));
        if (!settings.idempotencyHeader().isEmpty()) {
            headers.put(settings.idempotencyHeader(), call.keyHex());
        }
        settings.headers().forEach((name, value) -> headers.put(name, value.value()));
        return headers;
    }

    /** The headers of a question about an accepted call; an address elsewhere is not trusted with a secret. */
    Map<String, String> headers(URI address) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.put("Accept", "application/json");
        if (Wire.isSameOrigin(settings.url(), address)) {
            headers.putAll(protocol.headers(settings.apiKey()));
            settings.headers().forEach((name, value) -> headers.put(name, value.value()));
        }
        return headers;
    }

    /** With what the query of the engine's own address has and this one has not: a version, or a secret. */
    URI whole(URI address) {
        if (!Wire.isSameOrigin(settings.url(), address)) {
            return address;
        }
        List<String> query = new ArrayList<>(parameters(address));
        List<String> names = query.stream().map(Engine::name).toList();
        parameters(settings.url()).stream()
                .filter(own -> !names.contains(name(own)))
                .forEach(query::add);
        return withQuery(address, query);
    }

    /** An address as it may be stored and shown: without what it repeats of the engine's own query and secrets. */
    URI showable(URI address) {
        List<String> own = parameters(settings.url());
        return withQuery(
                address,
                parameters(address).stream()
                        .filter(parameter -> !own.contains(parameter) && !secrets.contains(value(parameter)))
                        .toList());
    }

    private static List<String> parameters(URI address) {
        String query = address.getRawQuery();
        return query == null || query.isEmpty() ? List.of() : List.of(query.split("&"));
    }

    private static String name(String parameter) {
        return parameter.replaceFirst("=.*", "");
    }

    private static String value(String parameter) {
        return parameter.substring(parameter.indexOf('=') + 1);
    }

    private static URI withQuery(URI address, List<String> query) {
        String bare = address.toString().replaceFirst("\\?.*", "");
        return URI.create(query.isEmpty() ? bare : bare + "?" + String.join("&", query));
    }

    /** How it takes calls together. */
    BatchProtocol batches() {
        return Objects.requireNonNull(batches);
    }

    /**
     * What is asked of it for a call of a batch.
     *
     * @throws CallFailed when the engine has no endpoint for it
     */
    JsonNode request(Call call) throws CallFailed {
        return written(call);
    }

    /** The engine's address without its query. */
    URI bare() {
        return withQuery(settings.url(), List.of());
    }

    /** What became of an accepted call that was asked for. */
    Verdict asked(Observed observed, Call.Remote remote, Instant now) {
        return Objects.requireNonNull(progress).asked(observed, remote, now);
    }

    /** The address that gives an accepted call up; null: there is none. */
    @Nullable
    URI cancellation(URI job) {
        return protocol instanceof DeferredProtocol deferred ? deferred.cancellation(job) : null;
    }

    /** The engine's own word for how far a job is; empty where a reply has none. */
    String said(Observed.Response response) {
        JsonNode reply = protocol.parse(response.body());
        return reply != null && protocol instanceof DeferredProtocol deferred
                ? deferred.progress(reply).said()
                : "";
    }

    /** What a reply to a call means, or that there is none. */
    Verdict judge(Call call, Observed observed, Instant now) {
        Protocol asked = Passing.protocol(settings, protocol, call.request());
        return asked.equals(protocol)
                ? judge(observed, now)
                : VerdictTable.judge(observed, asked, usage -> priced(asked, usage), settings.unpaidStatuses(), now);
    }

    /** The same where it is of no single call. */
    Verdict judge(Observed observed, Instant now) {
        if (progress != null) {
            Verdict verdict = progress.submitted(observed, bare(), now);
            return verdict instanceof Verdict.Accepted accepted
                    ? new Verdict.Accepted(
                            showable(URI.create(accepted.address())).toString(), accepted.said(), accepted.delay())
                    : verdict;
        }
        return VerdictTable.judge(observed, protocol, this::priced, settings.unpaidStatuses(), now);
    }

    /**
     * What is kept of a response.
     *
     * @param shown its body as it is kept
     */
    Reply reply(Observed.Response response, byte[] shown) {
        String id = RequestId.of(response.headers(), response.body());
        byte[] clean = id == null ? null : withoutSecrets(id.getBytes(StandardCharsets.UTF_8));
        return new Reply(response.status(), shown, clean == null ? null : new String(clean, StandardCharsets.UTF_8));
    }

    /** Hides the engine's secrets, which some endpoints repeat, in their errors above all. */
    byte[] withoutSecrets(byte[] reply) {
        if (secrets.isEmpty()) {
            return reply;
        }
        String text = new String(reply, StandardCharsets.ISO_8859_1);
        String clean = text;
        for (String secret : secrets) {
            clean = clean.replace(secret, "***");
        }
        return clean.equals(text) ? reply : clean.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The engine's own usage object with its price; tokens or prices that are not known make the cost unknown. */
    Usage priced(@Nullable JsonNode reported) {
        return priced(protocol, reported);
    }

    private Usage priced(Protocol by, @Nullable JsonNode reported) {
        if (reported == null) {
            return Usage.UNKNOWN;
        }
        Tokens tokens = by.tokens(reported);
        return new Usage(reported, tokens.input(), tokens.output(), cost(tokens));
    }

    private @Nullable BigDecimal cost(Tokens tokens) {
        Long input = tokens.input();
        Long output = tokens.output();
        BigDecimal inputPrice = settings.inputPrice();
        BigDecimal outputPrice = settings.outputPrice();
        if (input == null || output == null || inputPrice == null || outputPrice == null || !tokens.usualPrice()) {
            return null;
        }
        return inputPrice
                .multiply(BigDecimal.valueOf(input))
                .add(outputPrice.multiply(BigDecimal.valueOf(output)))
                .multiply(PER_MILLION)
                .multiply(
                        batches == null
                                ? BigDecimal.ONE
                                : settings.async().batch().price());
    }
}
