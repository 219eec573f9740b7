package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.oncebox.stub.Stub;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A temporary home and the endpoint whose own count says what was paid. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a run that never gets idle is a finding, too
abstract class StubbedHome {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** With this, what is tried again is due long after a test: it is parked. */
    static final String[] PATIENT = {"retry.delay=300d", "retry.max-delay=300d", "retry.give-up=366d"};

    @TempDir
    Path folder;

    Stub stub;

    @BeforeEach
    void startStub() throws IOException {
        stub = Stub.start(Stub.Options.defaults().withBodies());
    }

    @AfterEach
    void closeStub() {
        stub.close();
    }

    final TestHome home(String... properties) {
        return new TestHome(folder, stub, properties);
    }

    final TestHome patientHome(String... properties) {
        return home(Stream.concat(Stream.of(PATIENT), Stream.of(properties)).toArray(String[]::new));
    }

    /** The bodies that the endpoint was sent. */
    final List<JsonNode> asked() {
        return stub.calls().stream().map(call -> tree(call.text())).toList();
    }

    /** The texts of the last messages that the endpoint was sent. */
    final List<String> prompts() {
        return asked().stream()
                .map(body -> body.path("messages"))
                .map(messages ->
                        messages.path(messages.size() - 1).path("content").asText())
                .toList();
    }

    static JsonNode tree(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(json, e);
        }
    }

    /** The values of one member, as text. */
    static List<String> all(List<JsonNode> lines, String pointer) {
        return lines.stream().map(line -> line.at(pointer).asText()).toList();
    }

    /** A number out of the ledger's own tables, for what no command shows. */
    static long number(TestHome home, String query) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** Rows of the ledger's own tables, each one JSON text. */
    static List<JsonNode> list(TestHome home, String query) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            List<JsonNode> list = new ArrayList<>();
            while (rows.next()) {
                list.add(tree(rows.getString(1)));
            }
            return list;
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** Lets what waits for its time be due at once, instead of waiting for it. */
    static void makeDue(TestHome home) {
        execute(home, "UPDATE call SET due = 0 WHERE state = 'READY'");
    }

    static void execute(TestHome home, String statement) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + home.path("data/ledger.db"));
                var change = connection.createStatement()) {
            change.execute(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(statement, e);
        }
    }

    /** Gives the home route files of its own: the distribution's. */
    static void copyRoutes(TestHome home) {
        Path routes = Path.of("routes").toAbsolutePath();
        try (Stream<Path> files = Files.walk(routes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                home.write("routes/" + routes.relativize(file), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Both commands refuse with the same sentence, which holds all of the fragments; {@code check} may find more. */
    final void refused(TestHome home, String... fragments) {
        if (!home.exists("inbox/waiting.md")) {
            home.drop("waiting.md", "never asked");
        }
        CommandOutput check = CommandOutput.of(home, "check");
        CommandOutput run = CommandOutput.of(home, "run", "--until-idle");

        for (CommandOutput output : List.of(check, run)) {
            assertThat(output.exit()).as(output.err()).isEqualTo(2);
            assertThat(output.err()).contains("oncebox: ").contains(fragments).doesNotContain("\tat ");
        }
        assertThat(check.err().lines()).containsAll(run.err().lines().toList());
        assertThat(home.exists("inbox/waiting.md")).isTrue();
        assertThat(stub.count()).isZero();
    }
}
