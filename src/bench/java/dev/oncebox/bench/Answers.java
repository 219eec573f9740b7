package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The answers that a contestant has to show for its calls: each has a number of its own. */
final class Answers {

    private static final Pattern NUMBER = Pattern.compile("Answer ([0-9]+)\\.");

    private Answers() {}

    /**
     * Counts the distinct ones.
     *
     * @param place a file, or a folder of files
     */
    static int count(Path place) throws IOException {
        Set<Integer> numbers = new HashSet<>();
        List<Path> files;
        try (Stream<Path> found = Files.walk(place)) {
            files = found.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().endsWith(".receipt.json"))
                    .toList();
        }
        for (Path file : files) {
            try (Stream<String> lines = Files.lines(file)) {
                lines.forEach(line -> {
                    Matcher number = NUMBER.matcher(line);
                    while (number.find()) {
                        numbers.add(Integer.valueOf(number.group(1)));
                    }
                });
            }
        }
        return numbers.size();
    }
}
