package dev.oncebox.engine;

import dev.oncebox.config.AsyncSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.Retry;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** An engine that judges what a test lets it see. */
final class Judging {

    static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");

    static final Engine ENGINE = engine(EngineSettings.Protocol.OPENAI);

    /** An engine with a price of 2 in and 10 out. */
    static Engine engine(EngineSettings.Protocol protocol, Integer... unpaid) {
        var settings = new EngineSettings(
                "e",
                protocol,
                URI.create("http://localhost/"),
                null,
                null,
                Map.of(),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                4,
                null,
                null,
                new BigDecimal("2"),
                new BigDecimal("10"),
                "",
                false,
                EngineSettings.OnDoubt.RESEND,
                Set.of(unpaid),
                "",
                null,
                AsyncSettings.USUAL);
        var retry = new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), Duration.ofHours(24));
        return new Engine(settings, new Gate(settings, retry, Clock.systemUTC(), System::nanoTime));
    }

    static Verdict judge(int status, String body, String... headers) {
        return judge(ENGINE, status, body, headers);
    }

    static Verdict judge(int status, byte[] body, String... headers) {
        return judge(ENGINE, status, body, headers);
    }

    static Verdict judge(Engine engine, int status, String body, String... headers) {
        return judge(engine, status, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8), headers);
    }

    private static Verdict judge(Engine engine, int status, byte[] body, String... headers) {
        Map<String, String> map = headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]);
        return engine.judge(new Observed.Response(status, map, body, null), NOW);
    }

    /** UNSENT, VALID, …; for a refusal, whose fault it is. */
    static String kind(Verdict verdict) {
        return verdict instanceof Verdict.Refused refused
                ? refused.cause().name()
                : verdict.getClass().getSimpleName().toUpperCase(Locale.ROOT);
    }

    static String code(Verdict verdict) {
        return verdict instanceof Verdict.Refused refused
                ? refused.code()
                : verdict instanceof Verdict.Unknown unknown ? unknown.code() : "";
    }

    static Verdict judge(IOException failure) {
        return ENGINE.judge(new Observed.Failure(failure), NOW);
    }

    private Judging() {}
}
