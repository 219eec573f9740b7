package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small awkward files, each in a folder named for what is odd in it, and what the product makes of them: the files in
 * {@code expected} are those of the outbox, but for receipts, or the reason of a rejection, to the byte. Only keys, times
 * and the numbers of calls are masked. With {@code -Doncebox.corpus.write=true} what is missing is written, to be read
 * and kept.
 */
class CorpusTest {

    private static final Path CORPUS = Path.of("src/test/resources/corpus");
    private static final boolean WRITE = Boolean.getBoolean("oncebox.corpus.write");

    @TempDir
    static Path folder;

    private static TestHome home;

    static List<String> cases() throws IOException {
        try (Stream<Path> folders = Files.list(CORPUS)) {
            return folders.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @BeforeAll
    @Timeout(120)
    static void drop_all_of_them() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            home = new TestHome(folder, stub);
            for (String name : cases()) {
                try (Stream<Path> files = Files.list(CORPUS.resolve(name))) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        home.drop("default/" + name + "/" + file.getFileName(), Files.readAllBytes(file));
                    }
                }
            }
            home.runUntilIdle();
        }
    }

    /** The files below a folder by name, a character a byte. */
    private static Map<String, String> files(Path below) throws IOException {
        Map<String, String> files = new TreeMap<>();
        if (Files.isDirectory(below)) {
            try (Stream<Path> all = Files.list(below)) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    files.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
                }
            }
        }
        return files;
    }

    private static String masked(String content) {
        return content.replaceAll("[0-9a-f]{64}", "KEY")
                .replaceAll("batch_req_[0-9a-f]+", "batch_req_ID")
                .replaceAll("\"request_id\":\"stub-\\d+\"", "\"request_id\":\"KEY\"")
                .replaceAll("chatcmpl-stub-\\d+", "chatcmpl-stub-N")
                .replaceAll("\\[call \\d+]", "[call N]")
                .replaceAll("\\[\\x00c\\x00a\\x00l\\x00l\\x00 \\x00(\\d\\x00)+]", "[call N]")
                .replaceAll("\"created\":\\d+", "\"created\":0");
    }

    private static Map<String, String> delivered(String name) throws IOException {
        Map<String, String> outcome = new TreeMap<>();
        files(home.path("outbox/default/" + name)).forEach((file, content) -> {
            if (!file.endsWith(".receipt.json")) {
                outcome.put(file, masked(content));
            }
        });
        files(home.path("rejected/default/" + name)).forEach((file, content) -> {
            if (file.endsWith(".error.json")) {
                outcome.put(file, masked(content));
            }
        });
        return outcome;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void has_the_expected_outcome(String name) throws IOException {
        Map<String, String> outcome = delivered(name);
        Path kept = CORPUS.resolve(name).resolve("expected");
        if (WRITE && !Files.isDirectory(kept)) {
            Files.createDirectories(kept);
            for (Map.Entry<String, String> file : outcome.entrySet()) {
                Files.writeString(kept.resolve(file.getKey()), file.getValue(), StandardCharsets.ISO_8859_1);
            }
        }

        assertThat(outcome).isNotEmpty().isEqualTo(files(kept));
    }

    @Test
    void there_are_many_of_them_and_nothing_is_left_in_the_inbox() throws IOException {
        assertThat(cases()).hasSizeGreaterThanOrEqualTo(80);
        assertThat(home.files("inbox")).isEmpty();
    }
}
