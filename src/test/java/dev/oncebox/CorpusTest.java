package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small awkward files, each in a folder named for what is odd in it, and what the product makes of them: the files in
 * {@code expected} are those of the outbox, but for receipts, or the reason of a rejection, to the byte. Only keys, times
 * and the numbers of calls are masked. What {@code plan} said of them all before is what was then paid. With {@code -Doncebox.corpus.write=true} what is missing is written, to be read
 * and kept.
 */
class CorpusTest {

    private static final Path CORPUS = Path.of("src/test/resources/corpus");
    private static final boolean WRITE = Boolean.getBoolean("oncebox.corpus.write");

    @TempDir
    static Path folder;

    /** Nothing of it is read, or it is asked for again: a dead letter that cost nothing. */
    private static final String REFUSED = "openai-refused-by-the-endpoint";

    private static TestHome home;
    private static JsonNode plan;
    private static JsonNode planAfter;
    private static long sent;
    private static List<String> left;

    static List<String> cases() throws IOException {
        try (Stream<Path> folders = Files.list(CORPUS)) {
            return folders.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @BeforeAll
    @Timeout(120)
    static void drop_all_of_them() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            home = new TestHome(folder, stub, "engine.default.price.input=1", "engine.default.price.output=2");
            drop();
            // each of them twice: in the inbox, and where it is kept
            plan = plan(kept());
            assertThat(stub.count()).isZero();
            home.runUntilIdle();
            sent = stub.counts().keys();
            left = home.files("inbox");
            drop();
            planAfter = plan(List.of());
        }
    }

    private static void drop() throws IOException {
        for (String name : cases()) {
            try (Stream<Path> files = Files.list(CORPUS.resolve(name))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    home.drop("default/" + name + "/" + file.getFileName(), Files.readAllBytes(file));
                }
            }
        }
    }

    private static List<String> kept() throws IOException {
        try (Stream<Path> files = Files.walk(CORPUS, 2)) {
            return files.filter(Files::isRegularFile)
                    .map(Path::toString)
                    .sorted()
                    .toList();
        }
    }

    private static JsonNode plan(List<String> more) {
        Stream<String> files = Stream.concat(
                home.files("inbox").stream()
                        .map(name -> home.path("inbox/" + name).toString()),
                more.stream());
        CommandOutput planned = CommandOutput.of(
                home, Stream.concat(Stream.of("plan", "--json"), files).toArray(String[]::new));
        assertThat(planned.exit()).as(planned.err()).isZero();
        return TestHome.parse(planned.out());
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
        assertThat(left).isEmpty();
    }

    private static List<JsonNode> files(JsonNode ofPlan, String name) {
        return StreamSupport.stream(ofPlan.path("files").spliterator(), false)
                .filter(file -> file.path("path").asText().startsWith("default/" + name + "/"))
                .toList();
    }

    private static long count(String what, JsonNode file) {
        return StubbedHome.number(
                home,
                "SELECT " + what + " FROM item i JOIN file f ON f.id = i.file WHERE f.path = '"
                        + file.path("path").asText() + "'");
    }

    /** The errors of the items that could not be read, in the order of the input. */
    private static List<JsonNode> unread(String name) {
        return home.files("outbox/default/" + name).stream()
                .filter(file -> file.endsWith(".errors.jsonl") || file.endsWith(".error.json"))
                .flatMap(file -> home.lines("outbox/default/" + name + "/" + file).stream())
                .filter(line -> !line.hasNonNull("key")
                        && (line.has("line") || line.at("/error").has("line")))
                .map(line -> line.path("error"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void the_plan_said_what_was_then_read_of_it(String name) {
        for (JsonNode file : files(plan, name)) {
            String path = file.path("path").asText();
            if (file.has("rejected")) {
                assertThat(file.path("rejected"))
                        .isEqualTo(home.json("rejected/" + path + ".error.json").path("error"));
                continue;
            }
            long items = file.path("items").asLong();
            long invalid = file.path("invalid").asLong();
            assertThat(items).isEqualTo(count("count(*)", file));
            assertThat(invalid).isEqualTo(count("sum(call IS NULL)", file));
            assertThat(items - invalid - file.path("repeated").asLong()).isEqualTo(count("count(DISTINCT call)", file));
            if (home.exists("outbox/" + path + ".receipt.json")) {
                JsonNode receipt = home.json("outbox/" + path + ".receipt.json");
                assertThat(receipt.path("items").asLong()).isEqualTo(items);
                assertThat(receipt.path("invalid").asLong()).isEqualTo(invalid);
                assertThat(receipt.path("addsUp").asBoolean()).isTrue();
            }
            List<JsonNode> unread = unread(name);
            assertThat(StubbedHome.all(unread, "/code")).isEqualTo(file.findValuesAsText("code"));
            assertThat(StubbedHome.all(unread, "/message")).isEqualTo(file.findValuesAsText("message"));
        }
    }

    @Test
    void the_plan_of_all_of_them_said_what_was_then_paid_and_counted_no_call_twice() throws IOException {
        long toSend = plan.at("/total/toSend").asLong();

        assertThat(toSend).isEqualTo(sent).isEqualTo(StubbedHome.number(home, "SELECT count(*) FROM call"));
        assertThat(plan.path("files")).hasSize(2 * kept().size());
        assertThat(plan.at("/total/shared").asLong()).isGreaterThanOrEqualTo(toSend);
        assertThat(plan.at("/total/estimate/inputPrice").asDouble()).isPositive();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void a_plan_after_the_run_has_nothing_new_and_costs_nothing(String name) {
        for (JsonNode file : files(planAfter, name)) {
            if (file.has("rejected")) {
                assertThat(files(plan, name)).contains(file);
                continue;
            }
            assertThat(file.path("takenBefore").asBoolean()).isTrue();
            assertThat(file.at("/calls/new").asInt(-1)).isZero();
            int refused = name.equals(REFUSED) ? 1 : 0;
            assertThat(file.path("toSend").asInt(-1)).isEqualTo(refused);
            assertThat(file.at("/calls/retried").asInt(-1)).isEqualTo(refused);
            if (refused == 0) {
                assertThat(file.at("/estimate/price").asDouble(-1)).isZero();
            }
        }
    }
}
