package dev.oncebox.proof;

import dev.oncebox.ShellCommand;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A PostgreSQL server of its own that keeps what it acknowledged, and can be restarted while others use it. */
final class DatabaseServer implements AutoCloseable {

    /** At which it is found as well, by those who may lose it. */
    static final String SECOND_ADDRESS = "127.0.0.2";

    private final Path data;
    private final EmbeddedPostgres postgres;

    DatabaseServer(Path folder) throws IOException {
        data = folder.resolve("postgres");
        postgres = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("listen_addresses", "localhost," + SECOND_ADDRESS)
                .setServerConfig("max_connections", "200")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
    }

    int port() {
        return postgres.getPort();
    }

    /** For who looks at it, whatever is cut off. */
    String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    /** Ends every connection at once, as a crash does, recovers and starts again. */
    void restart() throws IOException {
        String pid = Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip();
        Path control = Files.readSymbolicLink(Path.of("/proc", pid, "exe")).resolveSibling("pg_ctl");
        ShellCommand.Result result = ShellCommand.of(
                        "unshare",
                        "-U",
                        control.toString(),
                        "restart",
                        "-w",
                        "-m",
                        "immediate",
                        "-D",
                        data.toString(),
                        "-l",
                        data.resolveSibling("postgres.log").toString())
                .run();
        if (result.exit() != 0) {
            throw new IllegalStateException(result.err());
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
