package dev.oncebox.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.commons.text.similarity.JaroWinklerSimilarity;
import org.jspecify.annotations.Nullable;

/** A {@code .properties} file in UTF-8 whose errors can name the line that they are about. */
public final class PropertyFile {

    private final Path path;
    private final List<String> lines;
    private final Map<String, String> values;

    private PropertyFile(Path path, List<String> lines, Map<String, String> values) {
        this.path = path;
        this.lines = lines;
        this.values = values;
    }

    /** Reads the file; one that does not exist has no properties. */
    public static PropertyFile read(Path path) {
        if (!Files.exists(path)) {
            return new PropertyFile(path, List.of(), Map.of());
        }
        try {
            String text = Files.readString(path);
            var properties = new Properties();
            properties.load(new StringReader(text.startsWith("\uFEFF") ? text.substring(1) : text));
            Map<String, String> values = new TreeMap<>();
            properties.forEach((name, value) -> values.put((String) name, ((String) value).strip()));
            return new PropertyFile(path, text.lines().toList(), values);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException(path + " cannot be read: " + e.getMessage() + ". Save it as UTF-8 text.");
        }
    }

    public Map<String, String> values() {
        return values;
    }

    /** Where a property stands, as {@code file:line}; the file alone when it stands in no line of it. */
    public String where(String name) {
        var start = Pattern.compile("\\s*" + Pattern.quote(name) + "\\s*([=:\\s].*)?");
        for (int i = 0; i < lines.size(); i++) {
            if (start.matcher(lines.get(i)).matches()) {
                return path + ":" + (i + 1);
            }
        }
        return path.toString();
    }

    /** A refusal of a property that nobody knows, naming the nearest known one. */
    public ConfigException unknown(String name, Iterable<String> known) {
        String nearest = nearest(name, known, 0.7);
        String hint = nearest == null ? "" : " Did you mean " + nearest + "?";
        return new ConfigException(where(name) + ": unknown property " + name + "." + hint
                + " Correct or remove it; a misspelt setting would be silently without effect.");
    }

    /**
     * The known name that looks most like a name.
     *
     * @param least how much it must look like it, from 0 to 1
     * @return null when none does
     */
    public static @Nullable String nearest(String name, Iterable<String> known, double least) {
        var similarity = new JaroWinklerSimilarity();
        String best = null;
        double most = least;
        for (String candidate : known) {
            double score = similarity.apply(name, candidate);
            if (score > most) {
                most = score;
                best = candidate;
            }
        }
        return best;
    }
}
