package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * What a unit file says of a service, done as systemd would where none is running: its user without any privileges, its
 * environment and nothing else of ours, its folders, its command, its signal.
 */
final class ServiceUnit {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Copied machine;
    private final List<String> lines;

    ServiceUnit(Copied machine, String file) throws IOException {
        this.machine = machine;
        this.lines = Files.readAllLines(machine.path(file));
    }

    /** The values of a setting, one a line of it. */
    List<String> values(String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .toList();
    }

    String value(String name) {
        List<String> values = values(name);
        assertThat(values).as(name).hasSize(1);
        return values.get(0);
    }

    /** Starts the service, with more words before its command, such as those of a tracer. */
    Process start(Path log, String... before) throws IOException {
        String user = value("User");
        List<String> words = new ArrayList<>(List.of(before));
        words.addAll(List.of("setpriv", "--reuid=" + user, "--regid=" + value("Group"), "--init-groups"));
        words.addAll(List.of("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"));
        words.addAll(List.of("env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/var/lib/oncebox"));
        values("Environment").forEach(line -> words.addAll(List.of(line.split(" "))));
        for (String file : values("EnvironmentFile")) {
            Path variables = machine.path(file.replaceFirst("^-", ""));
            if (file.startsWith("-") && !Files.exists(variables)) {
                continue;
            }
            Files.readAllLines(variables).stream()
                    .filter(line -> line.matches("\\w+=.*"))
                    .map(line -> line.replaceFirst("='(.*)'$", "=$1"))
                    .forEach(words::add);
        }
        words.addAll(List.of("sh", "-c", "umask " + value("UMask") + " && exec \"$@\"", "unit"));
        words.addAll(List.of(value("ExecStart").split(" ")));
        return new ProcessBuilder(machine.command(words.toArray(String[]::new)).words())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Stops it as systemd does, and returns its exit code. */
    int stop(Process process) throws InterruptedException {
        run("kill", "-" + value("KillSignal").replace("SIG", ""), String.valueOf(process.pid()));
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** The system calls that its filter lets through. */
    Set<String> allowedCalls() {
        Set<String> allowed = new TreeSet<>(calls("@default"));
        for (String filter : values("SystemCallFilter")) {
            for (String name : filter.replaceFirst("^~", "").split(" ")) {
                if (filter.startsWith("~")) {
                    allowed.removeAll(calls(name));
                } else {
                    allowed.addAll(calls(name));
                }
            }
        }
        return allowed;
    }

    private Set<String> calls(String set) {
        Set<String> calls = new TreeSet<>();
        machine.command("systemd-analyze", "syscall-filter", set)
                .run()
                .out()
                .lines()
                .skip(1)
                .map(String::strip)
                .filter(line -> !line.startsWith("#"))
                .forEach(name -> calls.addAll(name.startsWith("@") ? calls(name) : Set.of(name)));
        return calls;
    }

    private void run(String... words) {
        ShellCommand.Result result = machine.command(words).run();
        assertThat(result.exit())
                .as(String.join(" ", words) + ": " + result.err())
                .isZero();
    }
}
