package dev.oncebox.ledger.sql;

import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A database in memory, emptied for each schedule. */
final class SimulatedWorld implements AutoCloseable {

    private static final int CORES = 2;
    private static final List<String> TABLES = List.of(
            "event", "source", "item", "answer", "reply", "request", "call", "file", "job", "batch", "node", "pause");

    private final Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
    private final @Nullable PlantedBug bug;
    private final Random dice = new Random();
    private final Session session;

    SimulatedWorld(@Nullable PlantedBug bug) throws SQLException, IOException {
        for (int version = 1; version <= Dialect.VERSION; version++) {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(Files.readString(migration(version)));
            }
        }
        this.bug = bug;
        this.session = PlantedBug.session(connection, bug, dice);
        session.run("PRAGMA synchronous = OFF");
    }

    private static Path migration(int version) throws IOException {
        try (var scripts =
                Files.newDirectoryStream(Path.of("src/main/resources/db/sqlite"), "V" + version + "__*.sql")) {
            return scripts.iterator().next();
        }
    }

    int run(long seed) throws SQLException {
        for (String table : TABLES) {
            session.update("DELETE FROM " + table);
        }
        dice.setSeed(seed);
        try {
            return new Simulation(seed, session, bug).run();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + journal(), e);
        }
    }

    private String journal() throws SQLException {
        List<String> lines = session.list(
                "SELECT call || ' ' || coalesce(attempt, '') || ' ' || kind || ' ' || coalesce(charged, '') || ' '"
                        + " || coalesce(engine, '') || ' node ' || coalesce(node, '') || ' fence ' || coalesce(fence, '')"
                        + " || ' ' || coalesce(detail, '') FROM event WHERE call IS NOT NULL ORDER BY seq",
                row -> row.getString(1));
        return String.join("\n", lines);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Runs so many schedules from a seed on, and returns how many requests were sent in them. */
    static long runAll(long first, int schedules) {
        var requests = new AtomicLong();
        IntStream.range(0, CORES).parallel().forEach(core -> {
            try (SimulatedWorld world = new SimulatedWorld(null)) {
                for (long seed = first + core; seed < first + schedules; seed += CORES) {
                    requests.addAndGet(world.run(seed));
                }
            } catch (SQLException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
        return requests.get();
    }

    /** Three items, the first of which says so; two such files may share calls. */
    static List<Entry> items(int first) {
        List<Entry> entries = new ArrayList<>();
        for (int n = 1; n <= 3; n++) {
            String text = "text " + (first + n - 1);
            entries.add(new Entry.Asking(
                    n,
                    n,
                    0,
                    null,
                    WatchedLedger.sha256(text),
                    WatchedLedger.sha256(text),
                    Keying.EXACT,
                    new Request(null, text, null, null, new TreeMap<>(), null, null)));
        }
        return entries;
    }
}
