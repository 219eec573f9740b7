package dev.oncebox.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.oncebox.Readme;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The tarball as a service, by the README's commands, in an overlay of this machine. */
@Execution(ExecutionMode.CONCURRENT)
class TarballProof {

    private static final String HOME = "/var/lib/oncebox";
    private static final String PROPERTIES = HOME + "/config/application.properties";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    @Test
    void the_commands_make_a_service_that_answers() throws Exception {
        Machine.needs("systemctl", "useradd");
        try (Copied machine = new Copied(folder);
                Stub stub = Stub.start(Stub.Options.defaults())) {
            String[] typed = Readme.TARBALL.commands().split("(?m)^sudoedit .*\n");
            var administrator = new Administrator(machine);
            administrator.fetches(built());
            administrator.types(typed[0]);
            Path properties = machine.path(PROPERTIES);
            Files.writeString(
                    properties,
                    Files.readString(properties)
                            .replaceFirst("(?m)^engine.default.url=.*", "engine.default.url=" + stub.uri("/v1"))
                            .replaceFirst("(?m)^#engine.default.model=", "engine.default.model="));
            administrator.types(typed[1]);

            var unit = new ServiceUnit(machine, "/etc/systemd/system/oncebox.service");
            Path log = folder.resolve("log");
            Process service = unit.start(log);
            await().atMost(PATIENCE)
                    .until(() -> Files.isDirectory(machine.path(HOME + "/inbox")) || !service.isAlive());
            assertThat(service.isAlive()).as(Files.readString(log)).isTrue();
            Files.writeString(machine.path(HOME + "/inbox/.q"), "A question.");
            Files.move(machine.path(HOME + "/inbox/.q"), machine.path(HOME + "/inbox/q.md"));
            Path answer = machine.path(HOME + "/outbox/q.md");
            await().atMost(PATIENCE).until(() -> Files.exists(answer) || !service.isAlive());

            assertThat(answer).as(Files.readString(log)).content().contains("A question.");
            assertThat(stub.count()).isEqualTo(1);
            assertThat(unit.stop(service)).isZero();
            Figures.say("TarballProof: a service by the README's commands, %d paid for a drop", stub.count());
        }
    }

    private static Path built() throws IOException {
        Path target = Path.of(System.getProperty("oncebox.dist")).getParent();
        try (Stream<Path> files = Files.list(target)) {
            List<Path> archives = files.filter(
                            file -> file.getFileName().toString().matches("oncebox-\\d.*\\.tar\\.gz"))
                    .toList();
            assertThat(archives).hasSize(1);
            return archives.get(0);
        }
    }
}
