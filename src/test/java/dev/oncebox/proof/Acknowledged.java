package dev.oncebox.proof;

import dev.oncebox.TestHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What everybody could see before a power cut, to be looked for after it. */
final class Acknowledged {

    private static final Path LEDGER = Path.of("data/ledger.db");

    private final TestHome home;
    private final Map<String, byte[]> outbox = new HashMap<>();
    private final Set<String> delivered;

    private Acknowledged(TestHome home) {
        this.home = home;
        this.delivered = delivered(home);
    }

    /** Looks at a home whose process has been killed and whose disk still has its power. */
    static Acknowledged in(TestHome home) throws IOException {
        var seen = new Acknowledged(home);
        for (String file : Files.isDirectory(home.path("outbox")) ? home.files("outbox") : List.<String>of()) {
            if (!Balance.isTemporary(file)) {
                seen.outbox.put(file, Files.readAllBytes(home.path("outbox").resolve(file)));
            }
        }
        return seen;
    }

    private static Set<String> delivered(TestHome home) {
        Set<String> paths = new HashSet<>();
        if (!Files.exists(home.path("data/ledger.db"))) {
            return paths;
        }
        try (Connection ledger = Balance.open(home.root().resolve(LEDGER));
                ResultSet rows =
                        ledger.createStatement().executeQuery("SELECT path FROM file WHERE state = 'DELIVERED'")) {
            while (rows.next()) {
                paths.add(rows.getString(1));
            }
        } catch (SQLException e) {
            if (!String.valueOf(e.getMessage()).contains("no such table")) {
                throw new IllegalStateException(e);
            }
        }
        return paths;
    }

    int deliveries() {
        return delivered.size();
    }

    /** The answers that were there before and are not, or not whole, now. */
    List<String> lostAnswers() throws IOException {
        List<String> lost = new ArrayList<>();
        for (Map.Entry<String, byte[]> file : outbox.entrySet()) {
            Path now = home.path("outbox").resolve(file.getKey());
            if (!Files.exists(now)) {
                if (delivered.stream().anyMatch(file.getKey()::startsWith)) {
                    lost.add("delivered, and gone: " + file.getKey());
                }
            } else if (!Arrays.equals(Files.readAllBytes(now), file.getValue())) {
                lost.add("there, but not whole: " + file.getKey());
            }
        }
        for (String path : delivered(home)) {
            if (!Files.exists(home.path("outbox").resolve(path))) {
                lost.add("DELIVERED, but not there: " + path);
            }
        }
        return lost;
    }

    /** The dropped files that are nowhere any more. */
    List<String> lostFiles(Map<String, String> dropped) throws IOException {
        List<String> lost = new ArrayList<>();
        for (Map.Entry<String, String> file : dropped.entrySet()) {
            boolean there = false;
            for (String folder : List.of("inbox", "archive", "rejected")) {
                Path place = home.path(folder).resolve(file.getKey());
                there |= Files.exists(place) && Files.readString(place).equals(file.getValue());
            }
            if (!there) {
                lost.add("dropped, and nowhere: " + file.getKey());
            }
        }
        return lost;
    }
}
