package dev.oncebox.ledger.camel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallName;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Request;
import dev.oncebox.ledger.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ledger's disk was full when the runtime was stopped, so a paid reply could not be recorded. The file beside the
 * ledger was on the same full disk, and the reply was gone.
 */
class RescueTest {

    private static final Verdict LATE = new Verdict.Unknown("late", "Late.", false);

    @TempDir
    private Path folder;

    private static void keep(Rescue rescue, String body) {
        var request = new Request(null, "q", null, null, new TreeMap<>(), null, null);
        var call = new Call(1, new byte[32], "default", "default", 1, 0, 0, 0, 0, 0, 0, request);
        rescue.keep(call, LATE, new Reply(200, body.getBytes(StandardCharsets.UTF_8)));
    }

    private static Set<Path> inTemporaryFolder() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            Set<Path> found = new HashSet<>();
            files.filter(file -> file.getFileName().toString().startsWith("oncebox-rescued-"))
                    .forEach(found::add);
            return found;
        }
    }

    @Test
    void each_reply_is_a_line_beside_the_ledger() throws IOException {
        Path file = folder.resolve("rescued.jsonl");
        var rescue = new Rescue(file, each -> new CallName(each.keyHex(), null));
        keep(rescue, "one");
        keep(rescue, "two");
        assertThat(Files.readAllLines(file)).hasSize(2).allMatch(line -> line.endsWith("\"}"));
    }

    /** A power cut left half a line. The next reply was written behind it, and neither could be read. */
    @Test
    void a_reply_after_a_torn_line_has_a_line_of_its_own() throws IOException {
        Path file = Files.writeString(folder.resolve("rescued.jsonl"), "{\"key\":\"00");
        keep(new Rescue(file, each -> new CallName(each.keyHex(), null)), "one");
        assertThat(Files.readAllLines(file)).hasSize(2).last().asString().matches("\\{\"key\".*\"}");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void on_a_full_disk_the_replies_go_into_a_file_of_the_temporary_folder() throws IOException {
        Set<Path> before = inTemporaryFolder();
        var rescue = new Rescue(Path.of("/dev/full"), each -> new CallName(each.keyHex(), null));
        keep(rescue, "one");
        keep(rescue, "two");
        Set<Path> made = inTemporaryFolder();
        made.removeAll(before);
        assertThat(made).hasSize(1);
        Path file = made.iterator().next();
        assertThat(Files.readAllLines(file)).hasSize(2).allMatch(line -> line.contains("\"status\":200"));
        Files.delete(file);
    }
}
