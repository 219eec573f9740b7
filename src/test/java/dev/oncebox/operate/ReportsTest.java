package dev.oncebox.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Retry;
import dev.oncebox.job.Jobs;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.CallState;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Figures;
import dev.oncebox.ledger.Pause;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.sql.SqlLedger;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code status} and {@code journal} print. */
class ReportsTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-29T02:00:00Z"), ZoneOffset.UTC);

    private final Path home;

    ReportsTest(@TempDir Path home) {
        this.home = home;
    }

    @Test
    void a_home_without_a_ledger_is_all_zero() throws Exception {
        try (Reports reports = Reports.open(new LedgerUrl.SqliteFile(home.resolve("data/ledger.db")), CLOCK)) {
            Status status = reports.status(home.resolve("rejected"), List.of("default"), List.of("default"));

            assertThat(new ObjectMapper().readTree(status.json()))
                    .isEqualTo(new ObjectMapper()
                            .readTree("{\"files\":"
                                    + "{\"taken\":0,\"delivered\":0,\"rejected\":0},\"items\":{\"total\":0,\"answered\":0,\"failed\":0,"
                                    + "\"pending\":0},\"calls\":{\"ready\":0,\"sent\":0,\"polling\":0,\"done\":0,\"doubt\":0,\"dead\":0},"
                                    + "\"sent\":0,\"new\":0,\"reused\":0,\"cost\":0,\"engines\":{\"default\":{\"breaker\":\"closed\","
                                    + "\"inFlight\":0,\"resumesAt\":null}},\"nodes\":[]}"));
            assertThat(status.text()).contains("worker    not running. Start it with: oncebox run");
            assertThat(reports.journal("a.md", line -> {})).isFalse();
        }
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void rejected_files_are_counted_without_their_explanations() throws Exception {
        Path rejected = home.resolve("rejected/a");
        Files.createDirectories(rejected.resolve("b"));
        for (String name : List.of("x.pdf", "x.pdf.error.json", "b/y.md", "b/y.md.error.json", "z.error.jsonl")) {
            Files.createFile(rejected.resolve(name));
        }
        try (Reports reports = Reports.open(new LedgerUrl.SqliteFile(home.resolve("ledger.db")), CLOCK)) {
            assertThat(reports.status(home.resolve("rejected"), List.of(), List.of())
                            .files()
                            .rejected())
                    .isEqualTo(3);
        }
    }

    @Test
    void figures_become_json_for_programs_and_sentences_for_people() {
        Status status = Status.of(figures(new BigDecimal("1E+1")), 2, List.of("spare"), List.of("spare"));

        assertThat(status.json())
                .contains("\"calls\":{\"ready\":5,\"sent\":3,\"polling\":0,\"done\":9,\"doubt\":1,\"dead\":4}")
                .contains("\"sent\":20,\"new\":7,\"reused\":2,\"cost\":10,")
                .contains("\"main\":{\"breaker\":\"closed\",\"inFlight\":3,\"resumesAt\":null},\"spare\":{")
                .contains("\"nodes\":[{\"id\":1,\"host\":\"web\",\"pid\":42,\"started\":\"1970-01-01T00:00:00.000Z\","
                        + "\"lease\":\"1970-01-01T00:00:15.000Z\"}]");
        assertThat(status.text().lines())
                .containsExactly(
                        "worker    running on web, pid 42, since 1970-01-01T00:00:00.000Z",
                        "files     3 taken, 2 delivered, 2 rejected (why: rejected/…/NAME.error.json)",
                        "items     20 in all, 9 answered, 6 pending, 5 failed (why: the errors files in the outbox)",
                        "calls     9 done, 5 ready, 3 in flight, 0 polling",
                        "in doubt  1: sent, and nobody knows whether it was processed. A person decides: oncebox doubt list",
                        "dead      4: failed for good, and not tried again by itself. See why: oncebox dead list",
                        "sends     20 ever started; of the answers 7 new, 2 reused",
                        "cost      10",
                        "engine    main: 3 in flight, breaker closed",
                        "engine    spare: 0 in flight, breaker closed");
    }

    @Test
    void a_cost_that_is_not_known_is_said_to_be_unknown() {
        Status status = Status.of(figures(null), 0, List.of(), List.of());

        assertThat(status.json()).contains("\"cost\":null");
        assertThat(status.text()).contains("cost      unknown");
    }

    @Test
    void an_event_is_one_json_object_on_one_line() throws Exception {
        Path file = home.resolve("ledger.db");
        var retry = new Retry(Duration.ZERO, 1, Duration.ZERO, Duration.ZERO);
        var around = new SqlLedger.Surroundings(
                (job, engine) -> new Policy(1, true, false, retry, null), 1, CLOCK, new Random(1), message -> {});
        try (SqlLedger worker = SqlLedger.open(new LedgerUrl.SqliteFile(file), around);
                Reports reports = Reports.open(new LedgerUrl.SqliteFile(file), CLOCK)) {
            var job = Jobs.read(home.resolve("jobs"), Collections.singletonMap("default", null))
                    .find(Jobs.DEFAULT)
                    .orElseThrow();
            var request = new Request(null, "a", null, null, new TreeMap<>(), null, null);
            var received = worker.receive(new DroppedFile("a.jsonl", job, DroppedFile.Kind.LINES, new byte[32]));
            worker.record(
                    received,
                    List.of(
                            new Entry.Asking(1, 1, 0, null, new byte[32], new byte[32], Keying.EXACT, request),
                            new Entry.Asking(2, 2, 9, null, new byte[32], new byte[32], Keying.EXACT, request)));
            worker.sent(worker.claim("default", 1).get(0));
            var lines = new ArrayList<String>();

            assertThat(reports.journal("a.jsonl", lines::add)).isTrue();

            String start = "{\"ts\":\"2026-11-29T02:00:00.000Z\",\"key\":\"" + "0".repeat(64) + "\",\"event\":";
            assertThat(lines)
                    .containsExactly(
                            start + "\"CACHE_HIT\",\"attempt\":null,\"engine\":null,\"detail\":\"a.jsonl item 2\","
                                    + "\"charged\":null,\"file\":\"a.jsonl\"}",
                            start
                                    + "\"ATTEMPT\",\"attempt\":1,\"engine\":\"default\",\"detail\":null,\"charged\":null}",
                            start + "\"SENT\",\"attempt\":1,\"engine\":\"default\",\"detail\":null,\"charged\":null}");
            assertThat(reports.status(home, List.of(), List.of()).engines().get("default"))
                    .isEqualTo(new Status.Engine("closed", 1, null, 0, null, 0, null, null, false));
        }
    }

    @Test
    void what_stands_still_says_why_and_until_when() {
        long noon = 1_795_953_600_000L;
        Status status = Status.of(
                figures(
                        BigDecimal.ONE,
                        Map.of(
                                "main",
                                new Pause(Pause.State.OPEN, 0, noon, "No credit."),
                                Pause.BUDGET,
                                new Pause(Pause.State.SPENT, 0, 0, "The budget is used up: 5 of 5 calls."))),
                0,
                List.of("main"),
                List.of("main"));

        assertThat(status.json())
                .contains(
                        "\"main\":{\"breaker\":\"open\",\"inFlight\":3,\"resumesAt\":\"2026-11-29T12:00:00.000Z\"",
                        "\"reason\":\"No credit.\"",
                        "\"budget\":{\"reason\":\"The budget is used up: 5 of 5 calls.\",\"resumesAt\":null}");
        assertThat(status.text())
                .contains("main: 3 in flight, breaker open, resumes at 2026-11-29T12:00:00.000Z: No credit.")
                .contains("budget    The budget is used up: 5 of 5 calls. Nothing is sent until the next run.");
    }

    @Test
    void what_an_engine_answers_later_is_shown_with_its_number_and_its_age() {
        Map<String, Figures.Accepted> accepted = Map.of("batches", new Figures.Accepted(1000, 1_795_953_600_000L));
        Status status = Status.of(figures(BigDecimal.ONE, Map.of(), accepted), 0, List.of("main"), List.of("batches"));

        assertThat(status.text())
                .contains("batches: 0 in flight, 1000 accepted and not answered yet, since 2026-11-29T12:00:00.000Z");
        assertThat(status.json()).contains("\"polling\":1000,\"pollingSince\":\"2026-11-29T12:00:00.000Z\"");
    }

    private static Figures figures(@Nullable BigDecimal cost) {
        return figures(cost, Map.of());
    }

    private static Figures figures(@Nullable BigDecimal cost, Map<String, Pause> pauses) {
        return figures(cost, pauses, Map.of());
    }

    private static Figures figures(
            @Nullable BigDecimal cost, Map<String, Pause> pauses, Map<String, Figures.Accepted> accepted) {
        return new Figures(
                3,
                2,
                20,
                9,
                5,
                6,
                Map.of(
                        CallState.READY,
                        4L,
                        CallState.CLAIMED,
                        1L,
                        CallState.SENT,
                        3L,
                        CallState.DONE,
                        9L,
                        CallState.DOUBT,
                        1L,
                        CallState.DEAD,
                        4L),
                20,
                7,
                2,
                cost,
                Map.of("main", 3L),
                accepted,
                Map.of(),
                pauses,
                List.of(new Figures.Node(1, "web", 42, 0, 15_000)));
    }
}
