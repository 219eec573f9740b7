package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The distribution with a Java of its own, and the steps of the Dockerfile, in an overlay of this machine that has no Java.
 * No Docker takes part: what its base image lacks and this machine has is not noticed.
 */
@Execution(ExecutionMode.CONCURRENT)
class ImageProof {

    private static final String HOME = "/var/lib/oncebox";
    private static final Path TARGET =
            Path.of(System.getProperty("oncebox.dist")).getParent();
    private static final Path ARCHIVE = TARGET.resolve("oncebox-image.tar.gz");
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private Copied machine;

    @BeforeEach
    void begin() throws IOException {
        if (!Files.exists(ARCHIVE)) {
            throw Machine.missing("it takes the profile image as well, -Pproof,image");
        }
        machine = new Copied(folder);
        machine.hide("/usr/lib/jvm");
    }

    @AfterEach
    void end() {
        if (machine != null) {
            machine.close();
        }
    }

    @Test
    void its_java_has_every_module_that_the_jars_need_and_plays_the_demo() throws IOException {
        Path unpacked = unpack();
        Set<String> has = machine.command(unpacked + "/jre/bin/java", "--list-modules")
                .run()
                .out()
                .lines()
                .map(line -> line.replaceFirst("@.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(has).contains("jdk.crypto.ec").containsAll(neededModules());
        Result trusted = machine.command(unpacked + "/jre/bin/keytool", "-list", "-cacerts", "-storepass", "changeit")
                .run();
        assertThat(trusted.out()).containsPattern("contains \\d{2,} entries");

        assertThat(machine.command("java", "-version").run().exit())
                .as("no other Java")
                .isNotZero();
        Result demo = machine.command("env", "-u", "JAVA_HOME", unpacked + "/bin/oncebox", "demo")
                .run();
        assertThat(demo.exit()).as(demo.out() + demo.err()).isZero();
        assertThat(demo.out()).contains("38 distinct calls");
        Figures.say("ImageProof: the demo on %d modules and no other Java", has.size());
    }

    /** By jdeps, for all jars together. */
    private static List<String> neededModules() throws IOException {
        try (Stream<Path> jars = Files.list(TARGET.resolve("oncebox/lib"))) {
            List<String> all = jars.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .toList();
            String ours = all.stream()
                    .filter(name -> name.contains("/oncebox-"))
                    .findFirst()
                    .orElseThrow();
            String needed = Machine.done(
                    System.getProperty("java.home") + "/bin/jdeps",
                    "--multi-release",
                    "17",
                    "--ignore-missing-deps",
                    "--print-module-deps",
                    "-cp",
                    String.join(":", all),
                    ours);
            return List.of(
                    needed.lines().reduce((first, last) -> last).orElse("").split(","));
        }
    }

    @Test
    void the_steps_of_the_dockerfile_make_a_machine_that_answers() throws Exception {
        Path file = TARGET.resolveSibling("Dockerfile");
        List<String[]> steps = instructions(Files.readString(file));
        assertThat(steps.get(0)).containsExactly("FROM", "debian:bookworm-slim");
        List<String> environment =
                new ArrayList<>(List.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
        String user = "root";
        String work = "/";
        List<String> command = new ArrayList<>();
        for (String[] step : steps.subList(1, steps.size())) {
            switch (step[0]) {
                case "ADD" -> {
                    String[] words = step[1].split(" ");
                    assertThat(TARGET.resolveSibling(words[0])).isRegularFile();
                    assertThat(words).hasSize(2);
                    done("mkdir -p " + words[1] + " && tar -xzf /root/added -C " + words[1], words[0]);
                }
                case "RUN" -> done(step[1], null);
                case "ENV" -> environment.add(step[1]);
                case "WORKDIR" -> work = step[1];
                case "USER" -> user = step[1];
                case "ENTRYPOINT", "CMD" ->
                    command.addAll(List.of(step[1].replaceAll("[\\[\\]\" ]", "").split(",")));
                case "VOLUME" -> assertThat(step[1]).isEqualTo(HOME);
                case "STOPSIGNAL" -> assertThat(step[1]).isEqualTo("SIGTERM");
                default -> throw new AssertionError("an instruction that nobody tried: " + step[0]);
            }
        }
        answers(environment, user, work, command);
    }

    private void answers(List<String> environment, String user, String work, List<String> command) throws Exception {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            Path properties = machine.path(HOME + "/config/application.properties");
            Files.createDirectories(properties.getParent());
            Files.writeString(properties, "engine.default.url=" + stub.uri("/v1") + "\nengine.default.model=test\n");
            List<String> words = new ArrayList<>(List.of("env", "-i", "-C", work));
            words.addAll(environment);
            words.addAll(List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--init-groups", "--no-new-privs"));
            words.addAll(command);
            Path log = folder.resolve("log");
            Process run = new ProcessBuilder(
                            machine.command(words.toArray(String[]::new)).words())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            Path outbox = machine.path(HOME + "/outbox/q.md");
            await().atMost(PATIENCE).until(() -> Files.isDirectory(machine.path(HOME + "/inbox")) || !run.isAlive());
            assertThat(run.isAlive()).as(Files.readString(log)).isTrue();
            Files.writeString(machine.path(HOME + "/inbox/.q"), "A question.");
            Files.move(machine.path(HOME + "/inbox/.q"), machine.path(HOME + "/inbox/q.md"));
            await().atMost(PATIENCE).until(() -> Files.exists(outbox) || !run.isAlive());
            assertThat(outbox).as(Files.readString(log)).content().contains("A question.");
            assertThat(stub.count()).isEqualTo(1);
            run.destroy();
            assertThat(run.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).isZero();
        }
        Figures.say("ImageProof: the steps of the Dockerfile done by hand (no Docker took part), 1 drop answered");
    }

    /** An instruction and its words, lines that go on put together. */
    private static List<String[]> instructions(String dockerfile) {
        return dockerfile
                .replaceAll("(?m)^#.*\n", "")
                .replaceAll("\\\\\n", "")
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.split(" ", 2))
                .toList();
    }

    private Path unpack() throws IOException {
        done("tar -xzf /root/added -C /opt", "target/oncebox-image.tar.gz");
        try (Stream<Path> below = Files.list(machine.path("/opt"))) {
            Path made = below.filter(path -> path.getFileName().toString().startsWith("oncebox-"))
                    .findFirst()
                    .orElseThrow();
            return Path.of("/opt").resolve(made.getFileName());
        }
    }

    /** In there, with a file of the project at {@code /root/added}. */
    private void done(String script, @Nullable String added) throws IOException {
        if (added != null) {
            Files.copy(TARGET.resolveSibling(added), machine.path("/root/added"));
        }
        Result result = machine.command("sh", "-c", script).run();
        assertThat(result.exit())
                .as(script + ": " + result.out() + result.err())
                .isZero();
    }
}
