package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A home for Oncebox with its default settings, but for the engine's address, model and concurrency. */
final class OnceboxHome {

    private final Lab lab;
    private final Path home;

    OnceboxHome(Lab lab, Path home, int concurrency) throws IOException {
        this(lab, home, concurrency, List.of());
    }

    /** @param properties beside these */
    OnceboxHome(Lab lab, Path home, int concurrency, List<String> properties) throws IOException {
        this.lab = lab;
        this.home = home;
        Files.createDirectories(home.resolve("config"));
        Files.createDirectories(home.resolve("inbox"));
        List<String> all = new ArrayList<>(properties);
        all.add("engine.default.url=http://127.0.0.1:" + lab.port() + "/v1");
        all.add("engine.default.model=bench");
        all.add("engine.default.concurrency=" + concurrency);
        Files.write(home.resolve("config/application.properties"), all);
    }

    Path inbox() {
        return home.resolve("inbox");
    }

    Path outbox() {
        return home.resolve("outbox");
    }

    Path archive() {
        return home.resolve("archive");
    }

    Path ledger() {
        return home.resolve("data/ledger.db");
    }

    /** Drops a copy of a file under a name, all at once. */
    void drop(Path file, String name) throws IOException {
        Path begun = inbox().resolve("." + name);
        Files.copy(file, begun, StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(begun, inbox().resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The start script, as a person calls it. */
    Contestant.Plan run(List<String> javaOptions, String... command) {
        List<String> all = new ArrayList<>();
        all.add(lab.dist().resolve("bin/oncebox").toString());
        all.addAll(List.of(command));
        all.addAll(List.of("--home", home.toString()));
        return new Contestant.Plan(
                all,
                Map.of("JAVA_HOME", System.getProperty("java.home"), "JAVA_OPTS", String.join(" ", javaOptions)),
                outbox());
    }
}
