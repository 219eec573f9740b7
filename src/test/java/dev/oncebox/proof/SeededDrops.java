package dev.oncebox.proof;

import dev.oncebox.TestHome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * What is dropped, one file after another: batches of every kind and single files for two jobs, prompts that were asked before,
 * prompts whose first answers are no good, files that were dropped before, and files without an item. A seed repeats
 * them.
 */
final class SeededDrops {

    private static final int LONGEST_BATCH = 8;
    private static final List<String> ENDINGS = List.of(".jsonl", ".jsonl", ".jsonl.gz", ".csv", ".json");

    /** What becomes of a prompt before it is answered; none of these ends it. */
    private static final List<String> TROUBLES =
            List.of("503", "429", "500", "cut", "notjson", "reset", "close", "delay=400ms echo", "404");

    private static final String FATAL = " [[stub: 400 always]]";

    private final Random random;
    private final Map<String, Dropped> files = new TreeMap<>();
    private final List<Dropped> repeatable = new ArrayList<>();
    private final List<String> prompts = new ArrayList<>();
    private int number;
    private int drops;

    SeededDrops(long seed) {
        this.random = new Random(seed);
    }

    /**
     * A file as it was dropped.
     *
     * @param path below the inbox
     * @param prompts in order; none: there is no item
     */
    record Dropped(String path, String content, List<String> prompts) {

        boolean isBatch() {
            return !path.endsWith(".md");
        }

        /** The name of its answers. */
        String output() {
            return path.replace(".gz", "");
        }

        private byte[] bytes() {
            byte[] plain = content.getBytes(StandardCharsets.UTF_8);
            return path.endsWith(".gz") ? packed(plain) : plain;
        }

        boolean hasFatal() {
            return prompts.stream().anyMatch(SeededDrops::isFatal);
        }
    }

    static boolean isFatal(String prompt) {
        return prompt.endsWith(FATAL);
    }

    /** Drops the next file, and says how many milliseconds its sender waits then. */
    int dropInto(TestHome home) {
        Dropped next = next();
        drops++;
        files.put(next.path(), next);
        home.drop(next.path(), next.bytes());
        return 50 + random.nextInt(450);
    }

    private Dropped next() {
        int kind = random.nextInt(20);
        if (kind == 0 && !repeatable.isEmpty()) {
            return repeatable.get(random.nextInt(repeatable.size()));
        }
        String folder = List.of("", "careful/", "sub/", "careful/sub/").get(number % 4);
        if (folder.equals("sub/")) {
            folder = "default/sub/";
        }
        number++;
        if (kind == 1) {
            return new Dropped(folder + "e" + number + ".jsonl", "\n \n", List.of());
        }
        Dropped made = kind < 12 ? single(folder) : batch(folder);
        if (!made.hasFatal()) {
            repeatable.add(made);
        }
        return made;
    }

    private Dropped single(String folder) {
        String prompt = prompt(0);
        return new Dropped(folder + "s" + number + ".md", prompt, List.of(prompt));
    }

    private Dropped batch(String folder) {
        List<String> asked = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        int length = 1 + random.nextInt(LONGEST_BATCH);
        String ending = ENDINGS.get(random.nextInt(ENDINGS.size()));
        String line = ending.equals(".csv") ? "i%d,\"%s\"" : "{\"id\":\"i%d\",\"text\":\"%s\"}";
        for (int i = 1; i <= length; i++) {
            String prompt = prompt(i);
            asked.add(prompt);
            lines.add(line.formatted(i, prompt));
        }
        String content =
                switch (ending) {
                    case ".csv" -> "id,text\n" + String.join("\n", lines) + "\n";
                    case ".json" -> "[" + String.join(",\n", lines) + "]\n";
                    default -> String.join("\n", lines) + "\n";
                };
        return new Dropped(folder + "b" + number + ending, content, asked);
    }

    private static byte[] packed(byte[] plain) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private String prompt(int line) {
        if (!prompts.isEmpty() && random.nextInt(5) == 0) {
            return prompts.get(random.nextInt(prompts.size())).replaceFirst(" ", random.nextBoolean() ? " " : "  ");
        }
        String text = "Question " + line + " of " + number + ".";
        if (random.nextInt(30) == 0) {
            // nobody asks it a second time: a refused call that was free is sent again for the sake of another file
            return text + FATAL;
        }
        String asked = random.nextInt(3) > 0
                ? text
                : text + " [[stub: " + TROUBLES.get(random.nextInt(TROUBLES.size())) + "; echo always]]";
        prompts.add(asked);
        return asked;
    }

    Map<String, Dropped> files() {
        return files;
    }

    int drops() {
        return drops;
    }
}
