package dev.oncebox.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.oncebox.config.AsyncSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Gathering;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.Steps;
import dev.oncebox.ledger.Verdict;
import dev.oncebox.ledger.sql.SqliteStorage;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Results as a provider may write them, for the calls of a real ledger. */
class BatchResultsTest extends LedgerTck {

    private final Map<String, String> files = new ConcurrentHashMap<>();
    private HttpServer server;
    private Engine engine;
    private Wire wire;
    private Batch batch;

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    @BeforeEach
    void submit() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/files/", exchange -> {
            String file = files.get(exchange.getRequestURI().getPath().split("/")[3]);
            byte[] body = file == null ? new byte[0] : file.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(file == null ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        EngineSettings settings = settings();
        engine = new Engine(settings, new Gate(settings, RETRY, Clock.systemUTC(), System::nanoTime));
        wire = new Wire(settings);
        drop("f.jsonl", "a", "b", "c");
        batch = ledger.batches().gather(ENGINE, new Gathering(3, Duration.ZERO, 1 << 20));
        ledger.batches().sent(batch);
        Verdict accepted = new Verdict.Accepted("http://provider/b", "validating", Duration.ZERO);
        ledger.batches().settle(batch, accepted, Steps.of(accepted), null);
    }

    @AfterEach
    void stop() throws IOException {
        wire.close();
        server.stop(0);
    }

    private EngineSettings settings() {
        return new EngineSettings(
                ENGINE,
                EngineSettings.Protocol.OPENAI_BATCH,
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/v1/batches"),
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
                Set.of(),
                "",
                null,
                AsyncSettings.USUAL);
    }

    private static String key(String text) {
        return HexFormat.of().formatHex(sha256(text));
    }

    private static String line(String text, int status) {
        return "{\"custom_id\":\"%s\",\"response\":{\"status_code\":%d,\"body\":{\"of\":\"%s\"}},\"error\":null}\n"
                .formatted(key(text), status, text);
    }

    /** What there is of each call, as status or code, in the order that it comes in. */
    private List<String> results(String reply) throws IOException {
        List<String> results = new ArrayList<>();
        try (BatchResults all = BatchResults.fetch(engine, wire, ledger.batches(), batch, Asking.json(reply))) {
            all.forEachRemaining(result -> results.add(result.call().request().text() + " "
                    + (result.response() != null
                            ? result.response().status()
                            : ((Verdict.Failure) result.verdict()).code() + " "
                                    + result.verdict().charged())));
        }
        return results;
    }

    @Test
    void lines_come_in_any_order_and_in_two_files() throws IOException {
        files.put("out", line("c", 200) + line("a", 200));
        files.put("err", line("b", 400));
        assertThat(results("{'status':'completed','output_file_id':'out','error_file_id':'err'}"))
                .containsExactly("c 200", "a 200", "b 400");
    }

    @Test
    void what_comes_twice_counts_once_and_what_is_not_ours_not_at_all() throws IOException {
        files.put(
                "out",
                line("b", 200)
                        + line("b", 500)
                        + line("nobody's", 200)
                        + line("a", 200)
                        + line("c", 200)
                        + line("a", 400));
        assertThat(results("{'status':'completed','output_file_id':'out'}")).containsExactly("b 200", "a 200", "c 200");
    }

    @Test
    void garbage_among_the_lines_is_passed_over() throws IOException {
        files.put(
                "out",
                "\n  \n{\"custom_id\":\n[]\n<html>\nnull\n\"" + key("b") + "\"\n{\"custom_id\":\""
                        + key("b").toUpperCase() + "\"}\n\u0000\u2028\n"
                        + line("a", 200).strip());
        assertThat(results("{'status':'completed','output_file_id':'out','error_file_id':''}"))
                .containsExactly("a 200", "b no_result UNKNOWN", "c no_result UNKNOWN");
    }

    @Test
    void without_files_nothing_is_known_of_any_call() throws IOException {
        assertThat(results("{'status':'completed','output_file_id':null,'error_file_id':''}"))
                .containsExactly("a no_result UNKNOWN", "b no_result UNKNOWN", "c no_result UNKNOWN");
    }

    @Test
    void what_an_expired_batch_did_not_come_to_was_not_charged() throws IOException {
        files.put("out", line("b", 200));
        assertThat(results("{'status':'expired','output_file_id':'out'}"))
                .containsExactly("b 200", "a batch_expired NO", "c batch_expired NO");
    }

    @Test
    void errors_with_a_line_are_of_that_call_and_the_others_go_again() throws IOException {
        files.put("in", line("a", 0) + line("b", 0) + line("c", 0));
        assertThat(results("{'status':'failed','input_file_id':'in','errors':{'data':["
                        + "{'code':'invalid_value','message':'No.','line':2}]}}"))
                .containsExactly("a batch_refused NO", "b invalid_value NO", "c batch_refused NO");
    }

    @Test
    void errors_without_a_line_are_of_all_calls() throws IOException {
        assertThat(results("{'status':'failed','errors':{'data':[{'code':'token_limit_exceeded','message':'No.'}]}}"))
                .containsExactly("a token_limit_exceeded NO", "b token_limit_exceeded NO", "c token_limit_exceeded NO");
    }

    @Test
    void calls_with_an_end_are_not_given_again() throws IOException {
        files.put("out", line("a", 200) + line("b", 200));
        ledger.settle(ledger.batches().open(batch, sha256("a")), valid("x"), Steps.of(valid("x")), null);
        assertThat(results("{'status':'completed','output_file_id':'out'}"))
                .containsExactly("b 200", "c no_result UNKNOWN");
    }

    @Test
    void a_file_that_cannot_be_fetched_gives_no_result_at_all() {
        files.put("out", line("a", 200));
        assertThatThrownBy(() -> results("{'status':'completed','output_file_id':'out','error_file_id':'gone'}"))
                .isInstanceOf(IOException.class);
    }
}
