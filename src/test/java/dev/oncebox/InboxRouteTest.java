package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Polling Consumer: which files are taken from the inbox, and when. */
class InboxRouteTest extends StubbedHome {

    @Test
    void a_name_that_says_unfinished_or_hidden_is_left_alone() {
        TestHome home = home();
        String[] left = {
            ".hidden.md",
            "~lock.md",
            "a.tmp",
            "b.md.part",
            "c.partial",
            "d.crdownload",
            "e.filepart",
            "f.swp",
            "G.TMP",
            ".git/x.md",
            "~trash/x.md",
            "default/.y.md"
        };
        for (String name : left) {
            home.write("inbox/" + name, "not for you");
        }
        home.drop("good.md", "for you");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("inbox")).containsExactlyInAnyOrder(left);
        assertThat(home.files("outbox")).containsExactly("good.md");
        assertThat(home.files("rejected")).isEmpty();
        assertThat(stub.count()).isEqualTo(1);
    }

    @Test
    void folders_below_a_job_keep_their_path() {
        TestHome home = home("inbox.dir=in/box", "outbox.dir=" + folder.resolve("out"));
        home.write("config/jobs/tags/job.properties", "");
        home.write("in/box/default/2024/mai/ä b.md", "one");
        home.write("in/box/tags/x/y.md", "two");
        home.write("in/box/top.md", "three");

        assertThat(home.runUntilIdle()).isZero();

        String[] names = {"default/2024/mai/ä b.md", "tags/x/y.md", "top.md"};
        assertThat(home.files("out")).containsExactlyInAnyOrder(names);
        assertThat(home.files("archive")).containsExactlyInAnyOrder(names);
        assertThat(home.files("in/box")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b & c", "100%", "a#b+c", "ä:\"'", "RAW(a),b;c"})
    void odd_names_of_homes_jobs_and_files_are_names_and_nothing_else(String name) {
        TestHome home = new TestHome(folder.resolve(name), stub);
        home.write("config/jobs/" + name + "/job.properties", "");
        home.drop(name + "/" + name + ".md", "text");
        home.drop("two\nlines ${body} {{x}} %41?.md", "other text");

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox"))
                .containsExactlyInAnyOrder(name + "/" + name + ".md", "two\nlines ${body} {{x}} %41?.md");
    }

    @Test
    void links_are_not_followed() throws IOException {
        TestHome home = home();
        home.write("elsewhere/secret.md", "not dropped");
        home.drop("real.md", "dropped");
        Files.createSymbolicLink(home.path("inbox/link.md"), home.path("elsewhere/secret.md"));
        Files.createSymbolicLink(home.path("inbox/folder"), home.path("elsewhere"));
        Files.createDirectories(home.path("inbox/default"));
        Files.createSymbolicLink(home.path("inbox/default/round"), home.path("inbox"));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(prompts()).containsExactly("dropped");
        assertThat(home.files("archive")).containsExactly("real.md");
        assertThat(home.read("elsewhere/secret.md")).isEqualTo("not dropped");
        assertThat(Files.isSymbolicLink(home.path("inbox/link.md"))).isTrue();
    }

    @Test
    void a_file_that_still_grows_is_passed_over_and_taken_when_it_is_whole() throws IOException {
        TestHome home = home("inbox.settle=1500ms");
        home.write("inbox/growing.jsonl", "\"line 0\"\n");
        home.drop("old.md", "whole for long");
        Files.setLastModifiedTime(home.path("inbox/old.md"), FileTime.from(Instant.EPOCH));
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);
        int[] lines = {1};

        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            append(home.path("inbox/growing.jsonl"), "\"line " + lines[0]++ + "\"\n");
            return home.exists("outbox/old.md");
        });

        assertThat(home.files("inbox")).containsExactly("growing.jsonl");
        assertThat(stub.count()).isEqualTo(1);
        assertThat(run.join()).isZero();
        assertThat(home.lines("outbox/growing.jsonl")).hasSize(lines[0]);
        assertThat(home.files("inbox")).isEmpty();
    }

    @Test
    void a_time_stamp_in_the_future_does_not_keep_a_file_for_ever() throws IOException {
        TestHome home = home("inbox.settle=200ms");
        home.drop("tomorrow.md", "from a camera with a wrong clock");
        Files.setLastModifiedTime(
                home.path("inbox/tomorrow.md"), FileTime.from(Instant.now().plusSeconds(86_400)));

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).containsExactly("tomorrow.md");
    }

    @Test
    void a_file_renamed_in_is_taken_at_the_next_poll_while_others_are_still_asked() {
        TestHome home = home();
        home.drop("slow.md", "[[stub: delay=60s]] slow");
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> stub.count() == 1);

        home.drop("late.md", "late");
        await().until(() -> home.exists("outbox/late.md"));

        assertThat(home.exists("outbox/slow.md")).isFalse();
        stub.release();
        assertThat(run.join()).isZero();
        assertThat(home.files("outbox")).containsExactly("late.md", "slow.md");
    }

    @Test
    void a_folder_that_is_moved_in_is_taken_with_all_that_is_below_it() throws IOException {
        TestHome home = home();
        String[] names = {"1.md", "heute/Übung ß.md", "heute/内/日本語 한국어.md", "ру/עברית/हिन्दी 😀.md"};
        for (String name : names) {
            home.write("elsewhere/" + name, "Text of " + name);
        }
        home.write("elsewhere/.hidden/no.md", "not for you");
        home.drop("slow.md", "[[stub: delay=60s]] slow");
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().until(() -> stub.count() == 1);

        Files.createDirectories(home.path("inbox/default"));
        Files.move(home.path("elsewhere"), home.path("inbox/default/moved in"));
        await().until(() -> stub.count() == names.length + 1);
        stub.release();

        assertThat(run.join()).isZero();
        assertThat(home.files("outbox/default/moved in")).containsExactlyInAnyOrder(names);
        assertThat(home.files("inbox")).containsExactly("default/moved in/.hidden/no.md");
        assertThat(stub.count()).isEqualTo(names.length + 1);
    }

    @Test
    void a_file_that_pauses_in_the_middle_of_a_line_is_taken_when_it_is_whole() throws IOException {
        TestHome home = home("inbox.settle=2s");
        home.write("inbox/slow.jsonl", "{\"text\":\"on");
        home.drop("before.md", "before");
        Files.setLastModifiedTime(home.path("inbox/before.md"), FileTime.from(Instant.EPOCH));
        CompletableFuture<Integer> run = CompletableFuture.supplyAsync(home::runUntilIdle);
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            append(home.path("inbox/slow.jsonl"), "n");
            return home.exists("outbox/before.md");
        });

        append(home.path("inbox/slow.jsonl"), "e\"}\n");

        assertThat(run.join()).isZero();
        assertThat(home.files("outbox")).containsExactly("before.md", "slow.jsonl", "slow.jsonl.receipt.json");
        assertThat(stub.count()).isEqualTo(2);
    }

    @Test
    void a_file_that_can_neither_be_read_nor_rejected_is_said_once_and_holds_up_no_other() {
        TestHome home = home();
        home.write("rejected/nobody", "a file where a folder should be");
        home.drop("nobody/x.md", "of a job that does not exist");
        home.drop("good.md", "good");

        String log = Logged.during(() -> assertThat(home.runUntilIdle()).isEqualTo(4));

        assertThat(home.files("outbox")).containsExactly("good.md");
        assertThat(home.files("inbox")).containsExactly("nobody/x.md");
        assertThat(log).containsOnlyOnce("nobody/x.md").doesNotContain("previously thrown exception");
    }

    @Test
    void what_one_look_has_no_room_for_is_taken_by_the_next_ones() {
        TestHome home = home("inbox.at-once=7");
        for (int i = 0; i < 40; i++) {
            home.write("inbox/default/" + i % 3 + "/" + i + ".md", "note " + i);
            home.write("inbox/.hidden" + i + ".md", "not for you");
        }

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).hasSize(40);
        assertThat(stub.count()).isEqualTo(40);
    }

    @Test
    void many_small_files_are_taken_in_one_go() {
        TestHome home = home("inbox.settle=50ms");
        for (int i = 0; i < 400; i++) {
            home.write("inbox/default/" + i + ".md", "note " + i);
        }
        long start = System.nanoTime();

        assertThat(home.runUntilIdle()).isZero();

        assertThat(home.files("outbox")).hasSize(400);
        assertThat(stub.count()).isEqualTo(400);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("a second or a poll for each would take minutes")
                .isLessThan(Duration.ofMinutes(3));
    }

    private static void append(Path file, String text) {
        try {
            Files.write(file, text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
