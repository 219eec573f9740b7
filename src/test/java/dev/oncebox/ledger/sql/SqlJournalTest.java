package dev.oncebox.ledger.sql;

import static dev.oncebox.ledger.sql.WatchedLedger.asking;
import static dev.oncebox.ledger.sql.WatchedLedger.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.JournalLine;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The events of a call or a file, as another process reads them beside the worker. */
class SqlJournalTest {

    private final WatchedLedger ledger;

    SqlJournalTest(@TempDir Path folder) {
        ledger = new WatchedLedger(folder);
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void the_events_of_a_call_are_shown_with_those_that_rows_imply() {
        ledger.drop("a.md", "one");
        ledger.resendOnDoubt = true;
        ledger.call("one", new Verdict.Unknown("lost", "Lost.", true));
        ledger.answer("one", "0.25");
        ledger.deliverAll();
        ledger.drop("in/b.jsonl", "two", "one");

        List<JournalLine> lines = journal(key("one"));

        assertThat(lines)
                .extracting(JournalLine::event)
                .startsWith(
                        EventKind.ATTEMPT,
                        EventKind.SENT,
                        EventKind.TIMEOUT,
                        EventKind.ATTEMPT,
                        EventKind.SENT,
                        EventKind.COMPLETE);
        assertThat(lines)
                .extracting(JournalLine::event)
                .containsOnlyOnce(EventKind.DELIVERED, EventKind.CACHE_HIT, EventKind.COMPLETE);
        assertThat(lines).isSortedAccordingTo((a, b) -> Long.compare(a.at(), b.at()));
        assertThat(lines.get(1)).satisfies(sent -> {
            assertThat(sent.key()).isEqualTo(key("one"));
            assertThat(sent.attempt()).isEqualTo(1);
            assertThat(sent.engine()).isEqualTo("default");
            assertThat(sent.file()).isNull();
        });
        assertThat(lines.get(2).charged()).isEqualTo(Charged.UNKNOWN);
        assertThat(lines.get(2).detail()).isEqualTo("lost: Lost.");
        assertThat(only(lines, EventKind.CACHE_HIT)).satisfies(hit -> {
            assertThat(hit.key()).isEqualTo(key("one"));
            assertThat(hit.detail()).isEqualTo("in/b.jsonl item 2");
            assertThat(hit.file()).isEqualTo("in/b.jsonl");
        });
        assertThat(only(lines, EventKind.DELIVERED)).satisfies(delivered -> {
            assertThat(delivered.key()).isNull();
            assertThat(delivered.file()).isEqualTo("a.md");
            assertThat(delivered.detail()).isEqualTo("a.md");
        });
    }

    @Test
    void the_beginning_of_a_key_is_enough_while_it_means_one() {
        ledger.drop("a.md", "one");
        String key = key("one");

        assertThat(journal(key.substring(0, 8))).isEmpty();
        ledger.worker.sent(ledger.claim());
        assertThat(journal(key.substring(0, 9))).hasSize(2);
        assertThat(journal(key.toUpperCase(Locale.ROOT))).hasSize(2);
        assertThat(ledger.reports.journal(key.substring(0, 7), line -> {})).isFalse();
        assertThat(ledger.reports.journal("f".repeat(64), line -> {})).isFalse();

        byte[] twin = HexFormat.of().parseHex(key);
        twin[31]++;
        ReceivedFile other = ledger.receive("b.md", "twin");
        ledger.worker.record(other, List.of(asking(1, "twin", twin)));
        assertThatThrownBy(() -> journal(key.substring(0, 10)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Several keys begin with " + key.substring(0, 10));
        assertThat(journal(key)).hasSize(2);
    }

    @Test
    void a_file_shows_its_calls_its_hits_and_its_delivery() {
        ledger.drop("a.jsonl", "one", "two", "one", null);
        ledger.drop("other.jsonl", "three", "one");
        ledger.answer("one", "1");
        ledger.answer("two", "1");
        ledger.answer("three", "1");
        ledger.deliverAll();

        List<JournalLine> lines = journal("a.jsonl");

        assertThat(lines)
                .extracting(JournalLine::event)
                .containsExactlyInAnyOrder(
                        EventKind.CACHE_HIT,
                        EventKind.ATTEMPT,
                        EventKind.SENT,
                        EventKind.COMPLETE,
                        EventKind.ATTEMPT,
                        EventKind.SENT,
                        EventKind.COMPLETE,
                        EventKind.DELIVERED);
        assertThat(lines.get(lines.size() - 1).event()).isEqualTo(EventKind.DELIVERED);
        assertThat(only(lines, EventKind.CACHE_HIT).detail()).isEqualTo("a.jsonl item 3");
        assertThat(lines).extracting(JournalLine::key).doesNotContain(key("three"));
    }

    @Test
    void all_files_of_the_same_path_are_shown() {
        ledger.drop("a.md", "one");
        ledger.answer("one", "1");
        ledger.drop("a.md", "two");
        ledger.answer("two", "1");

        assertThat(journal("a.md")).extracting(JournalLine::key).contains(key("one"), key("two"));
    }

    @ParameterizedTest
    @CsvSource({
        "x/b.md, two", "./x//b.md, two", "b.md, one", "inbox/x/b.md, two", "/home/me/archive/x/b.md, two",
        "outbox/b~7.md, one", "/home/outbox/b~7.md, one", "c%_.md, three", "deep/c%_.md, three", "y/c%_.md, three",
        "/else/c%_.md, three", "/home/inbox/b.md, one"
    })
    void a_file_is_found_by_its_path_and_by_where_it_is_now(String asked, String text) {
        ledger.drop("b.md", "one");
        ledger.answer("one", "1");
        ledger.worker.delivered(ledger.worker.settled(1).get(0), Output.unsealed("b~7.md"));
        ledger.drop("x/b.md", "two");
        ledger.drop("y/deep/c%_.md", "three");
        ledger.drop("y/deep/cxy.md", "four");
        for (Call call : ledger.worker.claim("default", 9)) {
            ledger.worker.sent(call);
        }

        assertThat(journal(asked))
                .extracting(JournalLine::key)
                .filteredOn(key -> key != null)
                .containsOnly(key(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "/", "none.md", "md", ".md", "\0", "inbox/"})
    void what_names_no_file_is_not_found(String asked) {
        ledger.drop("b.md", "one");

        assertThat(ledger.reports.journal(asked, line -> {})).isFalse();
    }

    @Test
    void many_pages_are_shown_in_one_go_while_the_worker_goes_on() {
        String[] texts = new String[2000];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = "text " + i % 1500;
        }
        ledger.drop("a.jsonl", texts);
        assertThat(ledger.worker.claim("default", 5000)).hasSize(1500);
        var lines = new ArrayList<JournalLine>();

        assertThat(ledger.reports.journal("a.jsonl", line -> {
                    if (lines.isEmpty()) {
                        ledger.drop("meanwhile.jsonl", "later");
                    }
                    lines.add(line);
                }))
                .isTrue();

        assertThat(lines).hasSize(1500 + 500);
        assertThat(lines).isSortedAccordingTo((a, b) -> Long.compare(a.at(), b.at()));
        assertThat(ledger.figures().taken()).isEqualTo(2);
    }

    private List<JournalLine> journal(String asked) {
        var lines = new ArrayList<JournalLine>();
        assertThat(ledger.reports.journal(asked, lines::add)).isTrue();
        return lines;
    }

    private static JournalLine only(List<JournalLine> lines, EventKind kind) {
        assertThat(lines).extracting(JournalLine::event).containsOnlyOnce(kind);
        return lines.stream().filter(line -> line.event() == kind).findFirst().orElseThrow();
    }
}
