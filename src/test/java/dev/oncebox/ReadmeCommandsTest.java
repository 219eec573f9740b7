package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No command stands in the README that nobody runs. */
class ReadmeCommandsTest {

    private static final Path TESTS = Path.of("src/test/java");

    /**
     * What is not typed as it stands there, and who does the very same. A test cannot build the distribution that it is
     * run against, and nowhere here is a Docker.
     *
     * @param file of a test, or of CI
     * @param sign what shows that it still does
     */
    private record Doer(String file, String sign) {}

    private static final Map<String, List<Doer>> ELSEWHERE = Map.of(
            "createdb --encoding=UTF8 oncebox",
            List.of(new Doer(test("Database"), "CREATE DATABASE")),
            "oncebox migrate-ledger jdbc:sqlite:data/ledger.db 'jdbc:postgresql://db/oncebox?user=me&password={{env:PW}}'",
            List.of(new Doer(test("MigrateLedgerTest"), "\"migrate-ledger\"")),
            "mvn -q -B -DskipTests package && target/oncebox/bin/oncebox demo",
            List.of(new Doer(".ci/run", "mvn -B -ntp verify"), new Doer(test("DemoIT"), "/bin/oncebox\", \"demo\"")),
            "mvn -B verify",
            List.of(new Doer(".ci/run", "mvn -B -ntp verify")),
            "docker build -t oncebox .",
            List.of(new Doer(test("proof/ImageProof"), "the_steps_of_the_dockerfile_make_a_machine_that_answers")),
            "sudo install -d -o 10001 -g 10001 /srv/oncebox",
            List.of(new Doer(test("proof/ImageProof"), "resolveSibling(\"Dockerfile\")")),
            "docker run --read-only --tmpfs /tmp:exec --stop-timeout 180 -v /srv/oncebox:/var/lib/oncebox -e OPENAI_API_KEY oncebox",
            List.of(new Doer(test("proof/ImageProof"), "answers(environment, user, work, command)")));

    private static String test(String name) {
        return TESTS + "/dev/oncebox/" + name + ".java";
    }

    @Test
    void every_block_of_commands_has_a_name_for_tests() {
        assertThat(Readme.all())
                .extracting(Readme.Block::heading)
                .containsExactlyElementsOf(
                        Arrays.stream(Readme.values()).map(Readme::heading).toList());
    }

    @Test
    void every_command_is_typed_by_a_test_or_done_by_one_that_is_named_here() throws IOException {
        Map<String, String> sources = sources("(IT|Proof)\\.java");
        List<String> untyped = new ArrayList<>();
        for (Readme block : Readme.values()) {
            var use = Pattern.compile("\\bReadme\\." + block + "\\b");
            if (sources.values().stream().noneMatch(use.asPredicate())) {
                block.commands()
                        .lines()
                        .map(line -> line.replaceFirst(" +#.*", ""))
                        .forEach(untyped::add);
            }
        }
        assertThat(untyped).containsExactlyInAnyOrderElementsOf(ELSEWHERE.keySet());
        for (Doer doer : ELSEWHERE.values().stream().flatMap(List::stream).toList()) {
            assertThat(Files.readString(Path.of(doer.file()))).contains(doer.sign());
        }
    }

    @Test
    void every_test_that_is_named_is_there() throws IOException {
        assertThat(sources("\\.java").keySet())
                .containsAll(found("\\b([A-Z][A-Za-z]*(?:Test|IT|Proof))\\b")
                        .map(name -> name + ".java")
                        .toList());
    }

    private static Stream<String> found(String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(Readme.FILE))
                .results()
                .map((MatchResult m) -> m.group(1));
    }

    /** By their names without folders. */
    private static Map<String, String> sources(String ending) throws IOException {
        var sources = new TreeMap<String, String>();
        try (Stream<Path> files = Files.walk(TESTS)) {
            files.filter(file -> file.toString().matches(".*" + ending)).forEach(file -> {
                try {
                    sources.put(file.getFileName().toString(), Files.readString(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return sources;
    }
}
