package dev.oncebox.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;

/** Distinct prompts of about 1.5 KB, the same for everybody who is given the same seed. */
final class Prompts {

    private static final int SIZE = 1500;
    private static final String[] WORDS =
            "time person year way day thing man world life hand part child eye woman place work week case point company number group problem fact"
                    .split(" ");

    private final Random random;

    Prompts(long seed) {
        random = new Random(seed);
    }

    /** One a line, as Oncebox and the others read them. */
    Path lines(Path file, int count) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 1; i <= count; i++) {
                out.write("{\"id\":" + i + ",\"text\":\"" + text(i) + "\"}\n");
            }
        }
        return aged(file);
    }

    /** One a file. */
    void files(Path folder, int count) throws IOException {
        Files.createDirectories(folder);
        for (int i = 1; i <= count; i++) {
            aged(Files.writeString(folder.resolve(i + ".md"), text(i)));
        }
    }

    String text(int number) {
        var text = new StringBuilder(SIZE + 16).append("Prompt ").append(number).append(':');
        while (text.length() < SIZE) {
            text.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
        }
        return text.toString();
    }

    /** As if it had been written long ago: nobody waits for a file to settle. */
    private static Path aged(Path file) throws IOException {
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    }
}
