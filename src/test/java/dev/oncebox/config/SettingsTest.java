package dev.oncebox.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The properties in force: the file's, the environment's over them, and the defaults. */
class SettingsTest {

    @TempDir
    private Path folder;

    @Test
    void what_is_left_out_has_its_documented_default() throws IOException {
        Settings settings = read("engine.default.url=https://api.example.com/v1\n", Map.of());

        assertThat(settings.inbox()).isEqualTo(folder.resolve("inbox"));
        assertThat(settings.outbox()).isEqualTo(folder.resolve("outbox"));
        assertThat(settings.ledger()).isEqualTo(new LedgerUrl.SqliteFile(folder.resolve("data/ledger.db")));
        assertThat(settings.poll()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.settle()).isEqualTo(Duration.ofMillis(500));
        assertThat(settings.maxItem()).isEqualTo(16L << 20);
        assertThat(settings.retry())
                .isEqualTo(new Retry(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), Duration.ofHours(24)));
        EngineSettings engine = settings.engines().get("default");
        assertThat(engine.protocol()).isEqualTo(EngineSettings.Protocol.OPENAI);
        assertThat(engine.timeout()).isEqualTo(Duration.ofSeconds(120));
        assertThat(engine.connectTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(engine.concurrency()).isEqualTo(16);
        assertThat(engine.inputPrice()).isNull();
        assertThat(engine.idempotencyHeader()).isEqualTo("Idempotency-Key");
        assertThat(engine.deduplicates()).isFalse();
        assertThat(engine.onDoubt()).isEqualTo(EngineSettings.OnDoubt.RESEND);
        assertThat(settings.jobs().find("default")).isPresent();
    }

    @Test
    void the_distributions_file_is_whole_and_says_the_defaults() throws IOException {
        Settings distributed = read(Files.readString(Path.of("config/application.properties")), Map.of());
        Settings defaults = read("engine.default.url=http://127.0.0.1:8089/v1\n", Map.of());

        assertThat(distributed.engines()).isEqualTo(defaults.engines());
        assertThat(distributed.retry()).isEqualTo(defaults.retry());
        assertThat(distributed)
                .usingRecursiveComparison()
                .ignoringFields("properties", "jobs")
                .isEqualTo(defaults);
    }

    @Test
    void the_environment_overrides_and_can_bring_an_engine_of_its_own() throws IOException {
        Settings settings = read(
                "engine.default.url=http://old/v1\nengine.default.header.X-Org=a\ninbox.poll=1s\nengine.my-own.url=http://own/\n",
                Map.of(
                        "ENGINE_DEFAULT_URL", " https://new.example.com/v1 ",
                        "ENGINE_DEFAULT_API_KEY", "secret",
                        "ENGINE_DEFAULT_HEADER_X_ORG", "b",
                        "ENGINE_FAST_URL", "https://fast.example.com",
                        "ENGINE_FAST_PRICE_INPUT", "0.15",
                        "ENGINE_MY_OWN_CONCURRENCY", "3",
                        "INBOX_POLL", "250ms",
                        "OUTBOX_DIR", "/srv/answers",
                        "ENGINE_ROOM", "no property",
                        "RETRY_GIVE_UP", "7d"));

        EngineSettings engine = settings.engines().get("default");
        assertThat(engine.url()).isEqualTo(URI.create("https://new.example.com/v1/chat/completions"));
        assertThat(String.valueOf(engine.apiKey())).isEqualTo("***");
        assertThat(engine.headers().get("X-Org").value()).isEqualTo("b");
        assertThat(settings.engines()).containsOnlyKeys("default", "fast", "my-own");
        assertThat(settings.engines().get("fast").inputPrice()).isEqualByComparingTo("0.15");
        assertThat(settings.engines().get("my-own").concurrency()).isEqualTo(3);
        assertThat(settings.poll()).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.outbox()).isEqualTo(Path.of("/srv/answers"));
        assertThat(settings.retry().giveUp()).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void a_bad_value_of_the_environment_is_told_by_its_variable() {
        assertThatThrownBy(() -> read("engine.default.url=http://x/\n", Map.of("ENGINE_DEFAULT_TIMEOUT", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("environment variable ENGINE_DEFAULT_TIMEOUT")
                .hasMessageContaining("soon");
    }

    @Test
    void secrets_come_from_the_environment_and_are_in_no_property_that_a_route_sees() throws IOException {
        Settings settings = read(
                "engine.default.url=http://x/\nengine.default.api-key={{env:KEY}}\n"
                        + "engine.default.header.X-Both={{env:KEY}}-{{env:OTHER}}\n",
                Map.of("KEY", "s$cr\\t", "OTHER", "o"));

        EngineSettings engine = settings.engines().get("default");
        assertThat(engine.apiKey().value()).isEqualTo("s$cr\\t");
        assertThat(engine.headers().get("x-both").value()).isEqualTo("s$cr\\t-o");
        assertThat(settings.properties().toString() + engine).doesNotContain("s$cr");
    }

    @ParameterizedTest
    @CsvSource({
        "https://api.example.com, https://api.example.com/v1/chat/completions",
        "https://api.example.com/, https://api.example.com/v1/chat/completions",
        "https://api.example.com/v1, https://api.example.com/v1/chat/completions",
        "https://api.example.com/v1/, https://api.example.com/v1/chat/completions",
        "https://x.example.com/openai/v1, https://x.example.com/openai/v1/chat/completions",
        "https://x.example.com/a/chat/completions?api-version=1, https://x.example.com/a/chat/completions?api-version=1",
        "http://[::1]:8080/v2, http://[::1]:8080/v2/chat/completions",
    })
    void an_address_may_be_given_as_sdks_take_it_or_whole(String given, String posted) throws IOException {
        assertThat(engine("url=" + given).url()).isEqualTo(URI.create(posted));
    }

    @ParameterizedTest
    @CsvSource({
        "anthropic, https://api.example.com, https://api.example.com/v1/messages",
        "anthropic, https://api.example.com/v1/, https://api.example.com/v1/messages",
        "anthropic, https://x.example.com/y/v1, https://x.example.com/y/v1/messages",
        "anthropic, https://x.example.com/v1/messages?beta=true, https://x.example.com/v1/messages?beta=true",
        "anthropic, https://x.example.com/claude, https://x.example.com/claude",
        "ollama, http://localhost:11434, http://localhost:11434/api/chat",
        "ollama, http://localhost:11434/, http://localhost:11434/api/chat",
        "ollama, http://localhost:11434/api, http://localhost:11434/api/chat",
        "ollama, http://localhost:11434/x/api/, http://localhost:11434/x/api/chat",
        "ollama, http://localhost:11434/api/chat, http://localhost:11434/api/chat",
        "ollama, http://localhost:11434/v1, http://localhost:11434/v1",
        "json, http://localhost, http://localhost",
        "json, http://localhost/v1/, http://localhost/v1/",
    })
    void each_vendors_address_may_be_given_as_its_sdks_take_it(String protocol, String given, String posted)
            throws IOException {
        assertThat(engine("protocol=" + protocol, "url=" + given).url()).isEqualTo(URI.create(posted));
    }

    @Test
    void statuses_that_cost_nothing_are_a_list_of_numbers_and_ranges() throws IOException {
        assertThat(engine("url=http://x/").unpaidStatuses()).isEmpty();
        assertThat(engine("url=http://x/", "unpaid-statuses=").unpaidStatuses()).isEmpty();
        assertThat(engine("url=http://x/", "unpaid-statuses= 504, 409,520 - 522,502 ")
                        .unpaidStatuses())
                .containsExactly(409, 502, 504, 520, 521, 522);
        assertThat(read("engine.default.url=http://x/\n", Map.of("ENGINE_DEFAULT_UNPAID_STATUSES", "500-599"))
                        .engines()
                        .get("default")
                        .unpaidStatuses())
                .hasSize(100);
    }

    @Test
    void a_route_may_use_properties_of_its_own_which_the_environment_overrides() throws IOException {
        Files.createDirectories(folder.resolve("routes"));
        Files.writeString(folder.resolve("routes/own.camel.yaml"), "# uses {{crm.address}} and {{?crm.optional:x}}\n");

        Settings settings =
                read("engine.default.url=http://x/\ncrm.address=a\n", Map.of("CRM_ADDRESS", "b", "CRM_OPTIONAL", "c"));

        assertThat(settings.properties()).containsEntry("crm.address", "b").containsEntry("crm.optional", "c");
    }

    private EngineSettings engine(String... properties) throws IOException {
        return read("engine.default." + String.join("\nengine.default.", properties) + "\n", Map.of())
                .engines()
                .get("default");
    }

    private Settings read(String properties, Map<String, String> environment) throws IOException {
        Files.createDirectories(folder.resolve("config"));
        Files.writeString(folder.resolve("config/application.properties"), properties);
        return Settings.read(Home.locate(folder, environment), environment);
    }
}
