package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a power cut or a bad disk left of the files of a home: it is refused, or put right, and never sent twice. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedHomeTest extends StubbedHome {

    private static final List<String[]> COMMANDS = List.of(
            new String[] {"status"},
            new String[] {"status", "--json"},
            new String[] {"journal", "x.jsonl"},
            new String[] {"answers", "x.jsonl"},
            new String[] {"doubt", "list"},
            new String[] {"dead", "list"},
            new String[] {"purge", "--older-than", "366d"});

    private static void put(TestHome home, String file, byte[] content) throws IOException {
        Files.createDirectories(home.path(file).getParent());
        Files.write(home.path(file), content);
    }

    private static byte[] bytes(TestHome home, String file) throws IOException {
        return Files.readAllBytes(home.path(file));
    }

    private TestHome answered() {
        TestHome home = home();
        home.drop("x.jsonl", """
                {"id":"a","text":"one"}
                {"id":"b","text":"two [[stub: 400 always]]"}
                {"id":"c"}
                """);
        home.runUntilIdle();
        return home;
    }

    private static CommandOutput quiet(TestHome home, String what, String... command) {
        CommandOutput output = CommandOutput.of(home, command);
        assertThat(output.err())
                .as(what + " " + List.of(command))
                .doesNotContain("\tat ")
                .doesNotContain("Exception in");
        assertThat(output.exit())
                .as(what + " " + List.of(command) + output.err())
                .isIn(0, 1, 2);
        return output;
    }

    @Test
    void every_command_on_a_damaged_ledger_answers_or_says_so_and_changes_no_byte_of_it() throws IOException {
        TestHome home = answered();
        byte[] ledger = bytes(home, "data/ledger.db");
        var random = new Random(7);
        long before = stub.count();
        home.drop("waiting.md", "never asked");
        for (int round = 0; round < 24; round++) {
            byte[] damaged = round % 4 == 0 ? Arrays.copyOf(ledger, random.nextInt(ledger.length)) : ledger.clone();
            for (int i = 0; i < 60 && damaged.length > 0; i++) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
            }
            put(home, "data/ledger.db", damaged);
            Files.deleteIfExists(home.path("data/ledger.db-wal"));
            Files.deleteIfExists(home.path("data/ledger.db-shm"));
            for (String[] command : COMMANDS) {
                quiet(home, "round " + round, command);
            }
            if (round % 8 == 0) {
                for (String command : List.of("check", "run")) {
                    CommandOutput refused = quiet(home, "round " + round, command);
                    assertThat(refused.exit()).isEqualTo(2);
                    assertThat(refused.err()).contains("ledger.db", "Nothing in it was changed");
                }
            }
            assertThat(Arrays.equals(bytes(home, "data/ledger.db"), damaged))
                    .as("round " + round)
                    .isTrue();
        }
        assertThat(stub.count()).isEqualTo(before);
        assertThat(home.exists("inbox/waiting.md")).isTrue();

        put(home, "data/ledger.db", ledger);
        assertThat(home.runUntilIdle()).isEqualTo(4);
        assertThat(home.exists("outbox/waiting.md")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.jsonl", "x.errors.jsonl", "x.jsonl.receipt.json", ".x.jsonl.oncebox.tmp"})
    void what_an_earlier_process_half_wrote_into_the_outbox_is_never_taken_for_an_answer(String torn)
            throws IOException {
        TestHome home = home();
        home.drop("x.jsonl", "{\"id\":\"a\",\"text\":\"one\"}\n{\"id\":\"c\"}\n");
        assertThat(home.runUntilIdle()).isZero();
        Set<String> names = Set.of("x.jsonl", "x.errors.jsonl", "x.jsonl.receipt.json");
        byte[] whole = bytes(home, "outbox/" + (torn.startsWith(".") ? "x.jsonl" : torn));
        byte[] input = bytes(home, "archive/x.jsonl");
        long before = stub.count();
        for (int length : new int[] {0, 1, whole.length / 2, whole.length - 1}) {
            for (String file : home.files("outbox")) {
                Files.delete(home.path("outbox/" + file));
            }
            put(home, "outbox/" + torn, Arrays.copyOf(whole, length));
            home.drop("x.jsonl", input);
            home.runUntilIdle();

            if (torn.startsWith(".")) {
                assertThat(home.files("outbox")).containsExactlyInAnyOrderElementsOf(names);
            } else {
                assertThat(bytes(home, "outbox/" + torn))
                        .as("another's file is left")
                        .hasSize(length);
                assertThat(bytes(home, "outbox/" + torn.replaceFirst("x\\.", "x~2.")))
                        .isEqualTo(whole);
                assertThat(home.files("outbox")).hasSize(4);
            }
        }
        assertThat(stub.count()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"'',x~2.md", "onc,x~2.md", "once?,x~2.md", "once,x.md"})
    void a_file_that_was_half_moved_to_the_archive_is_asked_once_and_nothing_of_it_is_lost(String there, String name)
            throws IOException {
        TestHome home = home();
        home.write("archive/x.md", there);
        home.drop("x.md", "once");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(stub.count()).isEqualTo(1);
        assertThat(home.read("archive/x.md")).isEqualTo(there);
        assertThat(home.read("archive/" + name)).isEqualTo("once");
        assertThat(home.files("inbox")).isEmpty();
        assertThat(home.read("outbox/x.md")).endsWith("once");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "process 12", "\u0000\u0000\u0000", "process 1 on there since 2026-01-01T00:00:00Z"})
    void a_lock_file_that_nobody_holds_is_no_lock_whatever_it_says(String content) {
        TestHome home = home();
        home.write("data/ledger.db.lock", content);
        home.drop("x.md", "asked");

        assertThat(home.runUntilIdle()).isZero();
        assertThat(home.read("data/ledger.db.lock"))
                .startsWith("process " + ProcessHandle.current().pid());
    }

    @Test
    void rescued_replies_that_are_torn_or_no_text_at_all_are_no_reason_to_refuse_a_start() throws IOException {
        TestHome home = home();
        byte[] line = ("{\"key\":\"" + "ab".repeat(32)
                        + "\",\"fence\":1,\"valid\":true,\"status\":200,\"body\":\"e30=\"}\n")
                .getBytes(StandardCharsets.UTF_8);
        byte[] garbage = new byte[600];
        new Random(3).nextBytes(garbage);
        byte[] all = Arrays.copyOf(line, line.length + garbage.length + 512);
        System.arraycopy(garbage, 0, all, line.length, garbage.length);
        for (int length : new int[] {1, line.length / 2, line.length - 1, line.length + 300, all.length}) {
            put(home, "data/rescued.jsonl", Arrays.copyOf(all, length));
            home.drop(length + ".md", "asked " + length);
            assertThat(home.runUntilIdle()).as("cut at " + length).isZero();
        }
        assertThat(stub.count()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "config/application.properties | engine.default.url=http://127.0.0.1:9/v1 # ä",
                "config/application.properties | engine.default.timeout=10s \\u00e4",
                "config/jobs/tags/job.properties | attempts=2",
                "config/jobs/tags/prompt.md | Tag 😀: {{text}} {{#more}}{{.}}{{/more}}",
                "config/jobs/tags/system.md | Sei kurz, bitte: ä 中",
                "config/jobs/tags/answer.schema.json | {\"type\":\"object\",\"properties\":{\"ä\":{\"type\":\"string\"}}}",
                "config/engines/plain.json | {\"q\":\"{{text}}\",\"ä\":[1,2]}",
            })
    void a_setting_cut_at_any_byte_works_or_is_refused_by_the_name_of_its_file(String file, String line)
            throws IOException {
        TestHome home = home("engine.plain.url=" + stub.uri("/summarize"), "engine.plain.protocol=json");
        byte[] before = home.exists(file) ? bytes(home, file) : new byte[0];
        byte[] last = ("\n" + line).getBytes(StandardCharsets.UTF_8);
        Path name = Path.of(file).getFileName();
        for (int length = 0; length <= last.length; length++) {
            byte[] cut = Arrays.copyOf(before, before.length + length);
            System.arraycopy(last, 0, cut, before.length, length);
            put(home, file, cut);
            // reads every setting, and looks into no ledger, as there is none
            CommandOutput output = quiet(home, "cut at " + length, "status");
            if (output.exit() != 0) {
                assertThat(output.exit()).isEqualTo(2);
                assertThat(output.err())
                        .as("cut at " + length)
                        .contains(name.toString())
                        .doesNotContain("null");
            }
        }
    }
}
