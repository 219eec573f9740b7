package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Types the README's commands on a machine, in the folder where the files lie that were fetched. It is root already, and
 * nothing runs there that could start a service: it is made known, and a {@link ServiceUnit} starts it.
 */
final class Administrator {

    private static final String SUDO = """
            #!/bin/sh
            [ "$1" != -u ] || exec setpriv --reuid="$2" --regid="$2" --init-groups "$3" "$4"
            exec "$@"
            """;
    private static final String SYSTEMCTL = """
            #!/bin/sh
            case $1 in
              daemon-reload) ;;
              enable) [ "$2" = --now ] && exec /usr/bin/systemctl enable "$3" ;;
              *) exit 1 ;;
            esac
            """;

    private final Copied machine;

    Administrator(Copied machine) throws IOException {
        this.machine = machine;
        command("sudo", SUDO);
        command("systemctl", SYSTEMCTL);
    }

    private void command(String name, String script) throws IOException {
        Path file = Files.writeString(machine.path("/usr/local/bin/" + name), script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Brings a file that was built. */
    void fetches(Path file) throws IOException {
        Files.copy(file, machine.path("/root/" + file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Commands that must succeed; returns what they say. */
    String types(String commands) {
        Result result = machine.command("bash", "-euc", "cd /root; exec </dev/null\n" + commands)
                .run();
        assertThat(result.exit())
                .as(commands + ": " + result.out() + result.err())
                .isZero();
        return result.out();
    }
}
