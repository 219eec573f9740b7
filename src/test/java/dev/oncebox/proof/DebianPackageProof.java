package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Readme;
import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The Debian package in an overlay of this machine, with its own dpkg: the machine itself stays as it is. */
@Execution(ExecutionMode.CONCURRENT)
class DebianPackageProof {

    private static final String HOME = "/var/lib/oncebox";
    private static final String PROPERTIES = "/etc/oncebox/application.properties";
    private static final String UNIT = "/usr/lib/systemd/system/oncebox.service";
    private static final String JAVAS = "/usr/lib/jvm";
    private static final String PACKAGE = "/root/oncebox.deb";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private Copied machine;
    private Stub stub;

    @BeforeEach
    void begin() throws IOException {
        Machine.needs("dpkg", "dpkg-deb", "adduser", "apt", "systemctl");
        machine = new Copied(folder);
        if (run("dpkg-query", "-W", "-f", "${Provides}", "*-jre-headless").out().indexOf("java17-runtime-headless")
                < 0) {
            machine.close();
            throw Machine.missing("no package provides java17-runtime-headless");
        }
        Files.copy(built(), machine.path(PACKAGE), StandardCopyOption.REPLACE_EXISTING);
        stub = Stub.start(Stub.Options.defaults());
    }

    @AfterEach
    void end() {
        if (stub != null) {
            stub.close();
            machine.close();
        }
    }

    private static Path built() throws IOException {
        Path target = Path.of(System.getProperty("oncebox.dist")).getParent();
        try (Stream<Path> files = Files.list(target)) {
            List<Path> packages =
                    files.filter(file -> file.toString().endsWith("_all.deb")).toList();
            assertThat(packages).hasSize(1);
            return packages.get(0);
        }
    }

    @Test
    void it_is_installed_run_upgraded_removed_and_purged() throws Exception {
        String[] typed = Readme.DEBIAN.commands().split("(?m)^sudoedit .*\n");
        var administrator = new Administrator(machine);
        administrator.fetches(built());
        done("useradd", "me");
        assertThat(administrator.types(typed[0])).contains("/etc/oncebox/application.properties");
        assertThat(done(
                        "stat",
                        "-c",
                        "%n %U:%G %a",
                        HOME,
                        HOME + "/inbox",
                        HOME + "/outbox",
                        HOME + "/data",
                        "/etc/oncebox/environment"))
                .isEqualTo(String.join(
                        "\n",
                        HOME + " oncebox:oncebox 755",
                        HOME + "/inbox oncebox:oncebox 2770",
                        HOME + "/outbox oncebox:oncebox 2750",
                        HOME + "/data oncebox:oncebox 700",
                        "/etc/oncebox/environment root:oncebox 640"));
        configure();
        assertThat(administrator.types(typed[1])).contains("All is well", "home " + HOME);
        assertThat(done("id", "-nG", "me")).contains("oncebox");
        assertThat(done("/usr/bin/systemctl", "is-enabled", "oncebox")).isEqualTo("enabled");

        var unit = new ServiceUnit(machine, UNIT);
        Process first = unit.start(folder.resolve("log"));
        drop("question.md", "What is a ledger?");
        awaitFile(HOME + "/outbox/question.md");
        assertThat(asMember("cat", HOME + "/outbox/question.md").out()).contains("What is a ledger?");
        assertThat(asMember("ls", HOME + "/data").exit()).isNotZero();
        assertThat(stub.count()).isEqualTo(1);
        assertThat(stub.calls().get(0).headers().get("Authorization")).isEqualTo("Bearer of the house");
        assertThat(unit.stop(first)).isZero();

        done("dpkg", "--force-confold", "-i", newer());
        assertThat(Files.readString(machine.path(PROPERTIES)))
                .contains(stub.uri("/v1").toString());
        assertThat(machine.path(PROPERTIES + ".dpkg-dist")).isRegularFile();
        assertThat(done("stat", "-c", "%U:%G %a", "/etc/oncebox/environment")).isEqualTo("root:oncebox 640");
        Process second = new ServiceUnit(machine, UNIT).start(folder.resolve("log"));
        drop("again.md", "What is  a ledger?");
        awaitFile(HOME + "/outbox/again.md");
        assertThat(stub.count()).as("what was paid before the upgrade is paid").isEqualTo(1);
        assertThat(has("/usr/share/oncebox/lib", "classes-.*\\.jsa")).isTrue();
        assertThat(unit.stop(second)).isZero();
        assertThat(Files.readString(folder.resolve("log"))).doesNotContain("WARN", "ERROR");

        done("dpkg", "-r", "oncebox");
        assertThat(machine.path("/usr/bin/oncebox")).doesNotExist();
        assertThat(machine.path("/usr/share/oncebox")).doesNotExist();
        assertThat(machine.path(PROPERTIES)).isRegularFile();
        assertThat(machine.path(HOME + "/outbox/question.md")).isRegularFile();

        assertThat(done("dpkg", "-P", "oncebox")).contains(HOME + " is kept");
        assertThat(machine.path("/etc/oncebox")).doesNotExist();
        assertThat(machine.path(HOME + "/data/ledger.db")).isRegularFile();
        assertThat(machine.path(HOME + "/outbox/again.md")).isRegularFile();
        Figures.say(
                "DebianPackageProof: installed, run, upgraded, removed and purged; %d paid for 2 drops", stub.count());
    }

    @Test
    void one_that_was_never_used_leaves_nothing() {
        machine.hide(JAVAS); // nothing is started, so nothing need be archived
        done("dpkg", "-i", PACKAGE);
        assertThat(done("dpkg", "-P", "oncebox")).doesNotContain("kept");
        assertThat(machine.path(HOME)).doesNotExist();
        assertThat(machine.path("/etc/oncebox")).doesNotExist();
        assertThat(run("getent", "passwd", "oncebox").exit()).isNotZero();
    }

    @Test
    void its_unit_is_understood_and_allows_nothing_that_it_need_not() throws IOException {
        Machine.needs("systemd-analyze");
        machine.hide(JAVAS);
        done("dpkg", "-i", PACKAGE);
        Result verified = run("systemd-analyze", "verify", UNIT);
        assertThat(verified.exit()).as(verified.err()).isZero();
        assertThat(verified.err()).doesNotContain("oncebox");
        Result exposure = run("systemd-analyze", "security", "--offline=true", "--threshold=20", UNIT);
        assertThat(exposure.exit()).as(exposure.out() + exposure.err()).isZero();
        assertThat(new ServiceUnit(machine, UNIT).value("RestartPreventExitStatus"))
                .isEqualTo("2");
        Figures.say(
                "DebianPackageProof, unit: %s",
                exposure.out()
                        .lines()
                        .filter(line -> line.contains("exposure level"))
                        .map(line -> line.replaceAll("[^ -~]", "").strip())
                        .findFirst()
                        .orElse(""));
    }

    @Test
    void its_unit_forbids_no_system_call_that_a_run_makes() throws Exception {
        Machine.needs("strace", "systemd-analyze");
        done("dpkg", "-i", PACKAGE);
        configure();
        var unit = new ServiceUnit(machine, UNIT);
        Process traced = unit.start(folder.resolve("log"), "strace", "-D", "-f", "-qq", "-o", "/root/trace");
        drop("question.md", "Which calls?");
        awaitFile(HOME + "/outbox/question.md");
        assertThat(unit.stop(traced)).isZero();

        Set<String> made = Files.readAllLines(machine.path("/root/trace")).stream()
                .dropWhile(line -> !line.contains("execve(\"/usr/bin/oncebox\""))
                .map(line -> line.replaceFirst("^\\d+ +(\\w+)\\(.*", "$1"))
                .filter(name -> name.matches("\\w+"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(made).contains("fsync", "connect");
        assertThat(unit.allowedCalls()).containsAll(made);
    }

    /** As an administrator does: the endpoint into one file, its secret into the other. */
    private void configure() throws IOException {
        List<String> lines = Files.readAllLines(machine.path(PROPERTIES)).stream()
                .map(line -> line.startsWith("engine.default.url=") ? "engine.default.url=" + stub.uri("/v1") : line)
                .map(line -> line.equals("#engine.default.model=gpt-4o-mini") ? "engine.default.model=test" : line)
                .map(line -> line.startsWith("#engine.default.api-key=") ? line.substring(1) : line)
                .toList();
        Files.write(machine.path(PROPERTIES), lines);
        Files.writeString(machine.path("/etc/oncebox/environment"), "OPENAI_API_KEY='of the house'\n");
    }

    /** The package of a next version, which has another configuration file. */
    private String newer() throws IOException {
        done("dpkg-deb", "-R", PACKAGE, "/root/newer");
        done("sed", "-i", "s/^Version: .*/Version: 99/", "/root/newer/DEBIAN/control");
        Path properties = machine.path("/root/newer" + PROPERTIES);
        Files.writeString(properties, Files.readString(properties) + "# a new line\n");
        done("dpkg-deb", "-Znone", "-b", "/root/newer", "/root/newer.deb");
        return "/root/newer.deb";
    }

    /** By somebody who is in the group, and nothing else. */
    private void drop(String name, String text) {
        String place = HOME + "/inbox/";
        Result dropped = asMember(
                "sh", "-c", "printf '%s' \"$1\" > \"$2.part\" && mv \"$2.part\" \"$2\"", "drop", text, place + name);
        assertThat(dropped.exit()).as(dropped.err()).isZero();
    }

    private Result asMember(String... words) {
        String[] all = Stream.concat(
                        Stream.of("setpriv", "--reuid=nobody", "--regid=oncebox", "--clear-groups"), Stream.of(words))
                .toArray(String[]::new);
        return run(all);
    }

    private void awaitFile(String file) {
        await().atMost(PATIENCE).until(() -> Files.exists(machine.path(file)));
    }

    private boolean has(String place, String name) throws IOException {
        try (Stream<Path> files = Files.list(machine.path(place))) {
            return files.anyMatch(file -> file.getFileName().toString().matches(name));
        }
    }

    private Result run(String... words) {
        return machine.command(words).run();
    }

    private String done(String... words) {
        Result result = run(words);
        assertThat(result.exit())
                .as(String.join(" ", words) + ": " + result.out() + result.err())
                .isZero();
        return result.out().strip();
    }
}
