package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The process dies at each of its named moments; the next start brings everything to its end. */
class CrashPointIT {

    private static final int ITEMS = 6;

    private static final ExecutorService TWO_AT_ONCE = Executors.newFixedThreadPool(2);

    @TempDir
    private static Path folder;

    /**
     * One death, and what follows from it.
     *
     * @param pass which time the moment is reached; calls are made one after another
     * @param items 1: a text; else a batch
     */
    private record Death(CrashPoint at, int pass, int items, String onDoubt) {

        boolean afterSent() {
            return at == CrashPoint.AFTER_SENT || afterAccepted();
        }

        boolean afterAccepted() {
            return at == CrashPoint.AFTER_FIRST_BYTE || at == CrashPoint.AFTER_RESPONSE;
        }

        boolean leavesDoubt() {
            return afterSent() && onDoubt.equals("hold");
        }

        /** What the endpoint must have counted in the end. */
        int accepted() {
            return items + (afterAccepted() ? 1 : 0) - (leavesDoubt() ? 1 : 0);
        }

        String file() {
            return items == 1 ? "x.md" : "x.jsonl";
        }

        @Override
        public String toString() {
            return at + ":" + pass + " of " + file() + ", on-doubt=" + onDoubt;
        }
    }

    @TestFactory
    Stream<DynamicTest> a_death_at_any_moment_costs_at_most_what_was_promised() {
        return deaths().stream()
                .map(death -> {
                    var lived = CompletableFuture.runAsync(() -> dieAndLiveOn(death), TWO_AT_ONCE);
                    return DynamicTest.dynamicTest(death.toString(), () -> {
                        try {
                            lived.join();
                        } catch (CompletionException e) {
                            throw e.getCause();
                        }
                    });
                })
                .toList()
                .stream();
    }

    @AfterAll
    static void stop() {
        TWO_AT_ONCE.shutdownNow();
    }

    /** Policies differ only for what was sent; passes are chosen in the middle, and at each file of a delivery. */
    private static List<Death> deaths() {
        List<Death> deaths = new ArrayList<>();
        for (CrashPoint at : CrashPoint.values()) {
            for (int items : new int[] {1, ITEMS}) {
                boolean ofCalls = at.compareTo(CrashPoint.AFTER_CLAIM) >= 0 && at.compareTo(CrashPoint.AFTER_DONE) <= 0;
                boolean ofFiles = at == CrashPoint.AFTER_TEMP_FILE || at == CrashPoint.AFTER_RENAME;
                int pass = ofCalls && items > 1 ? 3 : 1;
                var death = new Death(at, pass, items, "resend");
                deaths.add(death);
                if (death.afterSent()) {
                    deaths.add(new Death(at, pass, items, "hold"));
                }
                if (ofFiles && items > 1) {
                    deaths.add(new Death(at, 2, items, "resend"));
                }
            }
        }
        return deaths;
    }

    private static void dieAndLiveOn(Death death) {
        try (Stub stub = Stub.start(Stub.Options.defaults().withBodies())) {
            var home = new TestHome(
                    Files.createTempDirectory(folder, "home"),
                    stub,
                    "engine.default.concurrency=1",
                    "engine.default.on-doubt=" + death.onDoubt());
            home.drop(death.file(), death.items() == 1 ? "Question 1." : Evidence.batch(death.items()));

            String where = "-Doncebox.crash-at=" + death.at() + ":" + death.pass();
            try (Launched dying = Launched.quickly(home, where, "run", "--until-idle")) {
                assertThat(dying.exit()).isEqualTo(137);
            }
            assertNothingHalf(home, death);
            try (Launched next = Launched.untilIdle(home)) {
                assertThat(next.exit()).isEqualTo(death.leavesDoubt() ? 4 : 0);
            }

            assertThat(stub.count()).isEqualTo(death.accepted());
            assertOutbox(home, death, stub);
            assertThat(home.files("inbox")).isEmpty();
            assertThat(home.files("archive")).containsExactly(death.file());
            assertThat(home.files("rejected")).isEmpty();
            assertThat(home.status().path("calls").path("doubt").asInt()).isEqualTo(death.leavesDoubt() ? 1 : 0);
            Evidence.assertJournalCovers(stub, home.journal(death.file()));
            assertThat(integrity(home)).isEqualTo("ok");
        } catch (IOException | SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** What already has its name is whole. */
    private static void assertNothingHalf(TestHome home, Death death) {
        if (home.exists("outbox/x.jsonl")) {
            assertThat(home.lines("outbox/x.jsonl")).hasSize(death.items());
        }
        if (home.exists("outbox/x.md")) {
            assertThat(home.read("outbox/x.md")).isEqualTo("[call 1] Question 1.");
        }
    }

    private static void assertOutbox(TestHome home, Death death, Stub stub) {
        if (death.leavesDoubt()) {
            assertThat(home.files("outbox")).isEmpty();
        } else if (death.items() == 1) {
            assertThat(home.files("outbox")).containsExactly("x.md");
            assertThat(home.read("outbox/x.md")).isEqualTo("[call " + stub.count() + "] Question 1.");
        } else {
            assertThat(home.files("outbox")).containsExactly("x.jsonl", "x.jsonl.receipt.json");
            Evidence.assertAnswers(home.lines("outbox/x.jsonl"), death.items(), stub);
        }
    }

    private static String integrity(TestHome home) throws SQLException {
        try (Connection ledger = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                ResultSet result = ledger.createStatement().executeQuery("PRAGMA integrity_check")) {
            return result.getString(1);
        }
    }
}
