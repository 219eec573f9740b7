package dev.oncebox.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Problems;
import dev.oncebox.config.PropertyFile;
import dev.oncebox.config.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a home, read once at start from {@code config/jobs/<job>/}: {@code job.properties},
 * {@code system.md}, {@code prompt.md}, {@code answer.schema.json}, each of them optional.
 */
public final class Jobs {

    /** The job of files that lie straight in the inbox; it exists even without a folder. */
    public static final String DEFAULT = "default";

    /** Stands for jobs that could not be read. */
    public static final Jobs NONE = new Jobs(Map.of());

    private static final List<String> KNOWN = List.of(
            "engines",
            "model",
            "temperature",
            "max-tokens",
            "key",
            "attempts",
            "answer",
            "empty-answer",
            "on-length",
            "on-refusal",
            "on-prompt-cut",
            "unwrap");
    private static final String PARAM = "param.";
    /** Members of a request body that Oncebox itself decides on: several answers or a stream would break the promise. */
    private static final Set<String> RESERVED = Set.of("messages", "model", "stream", "n");

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Map<String, Job> jobs;

    private Jobs(Map<String, Job> jobs) {
        this.jobs = jobs;
    }

    /**
     * Reads every job below {@code folder}.
     *
     * @param engineModels the model of each configured engine, by the engine's name; the value may be null
     */
    public static Jobs read(Path folder, Map<String, @Nullable String> engineModels) {
        Map<String, Job> jobs = new TreeMap<>();
        var problems = new Problems();
        for (Path jobFolder : folders(folder)) {
            problems.of(() -> {
                Job job = readJob(jobFolder, engineModels);
                jobs.put(job.name(), job);
            });
        }
        if (!Files.isDirectory(folder.resolve(DEFAULT))) {
            problems.of(() -> jobs.put(DEFAULT, readJob(folder.resolve(DEFAULT), engineModels)));
        }
        problems.raise();
        return new Jobs(Collections.unmodifiableMap(jobs));
    }

    public Optional<Job> find(String name) {
        return Optional.ofNullable(jobs.get(name));
    }

    public Collection<Job> all() {
        return jobs.values();
    }

    private static List<Path> folders(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(Files::isDirectory)
                    .filter(child -> !child.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ConfigException(folder + " cannot be listed: " + e.getMessage());
        }
    }

    private static Job readJob(Path folder, Map<String, @Nullable String> engineModels) {
        PropertyFile file = PropertyFile.read(folder.resolve("job.properties"));
        var problems = new Problems();
        for (String name : file.values().keySet()) {
            if (!KNOWN.contains(name) && !(name.startsWith(PARAM) && name.length() > PARAM.length())) {
                problems.add(String.valueOf(file.unknown(name, KNOWN).getMessage()));
            }
        }
        var values = new Values(file.values()::get, file::where, problems);
        JsonNode schema = problems.or(
                        Optional.<JsonNode>empty(),
                        () -> Optional.ofNullable(schema(folder.resolve("answer.schema.json"))))
                .orElse(null);
        Job.Format format = values.choice("answer", schema == null ? Job.Format.TEXT : Job.Format.JSON);
        if (schema != null && format == Job.Format.TEXT) {
            throw new ConfigException(file.where("answer") + ": answer is text, but " + folder
                    + " has an answer.schema.json, which only a JSON answer can meet. Remove one of the two.");
        }
        List<String> engines = problems.or(List.of(), () -> engines(values, file, engineModels.keySet()));
        String firstModel = engines.isEmpty() ? null : engineModels.get(engines.get(0));
        Keying keying = values.text("key") == null ? null : values.choice("key", Keying.WHITESPACE);
        var job = new Job(
                folder.getFileName().toString(),
                engines,
                values.text("model") == null ? firstModel : values.text("model"),
                problems.or(Collections.emptySortedMap(), () -> params(values, file)),
                keying,
                values.positive("attempts", 3),
                format,
                problems.or(Acceptance.STRICT, () -> acceptance(values, file, format)),
                textFile(folder.resolve("system.md")),
                Optional.ofNullable(textFile(folder.resolve("prompt.md"))).orElse("{{text}}"),
                schema);
        problems.raise();
        return job;
    }

    private static Acceptance acceptance(Values values, PropertyFile file, Job.Format format) {
        Set<Acceptance.Wrapping> unwrap = values.choices("unwrap", Acceptance.Wrapping.class);
        if (format == Job.Format.TEXT && !Set.of(Acceptance.Wrapping.THINK).containsAll(unwrap)) {
            throw new ConfigException(file.where("unwrap")
                    + ": fence and text are taken off JSON answers only, and this job's answers are text."
                    + " Set answer=json, or leave unwrap=think.");
        }
        Acceptance strict = Acceptance.STRICT;
        return new Acceptance(
                values.choice("empty-answer", strict.empty()),
                values.choice("on-length", strict.cutOff()),
                values.choice("on-refusal", strict.refusal()),
                values.choice("on-prompt-cut", strict.cutPrompt()),
                unwrap);
    }

    private static List<String> engines(Values values, PropertyFile file, Set<String> known) {
        var engines = new ArrayList<String>();
        for (String part : values.text("engines", "default").split(",")) {
            String engine = part.strip();
            if (!known.contains(engine)) {
                throw new ConfigException(file.where("engines") + ": no engine is named \"" + engine
                        + "\". "
                        + (known.isEmpty()
                                ? "application.properties has none: set engine.default.url."
                                : "application.properties has: " + String.join(", ", known) + "."));
            }
            if (engines.contains(engine)) {
                throw new ConfigException(file.where("engines") + ": the engine \"" + engine
                        + "\" is named twice, so that a call could go round for ever. Keep one.");
            }
            engines.add(engine);
        }
        return List.copyOf(engines);
    }

    private static SortedMap<String, JsonNode> params(Values values, PropertyFile file) {
        SortedMap<String, JsonNode> params = new TreeMap<>();
        Map<String, String> spelled = Map.of("temperature", "temperature", "max-tokens", "max_tokens");
        file.values().forEach((property, value) -> {
            String name = property.startsWith(PARAM) ? property.substring(PARAM.length()) : spelled.get(property);
            if (name == null || value.isEmpty()) {
                return;
            }
            if (RESERVED.contains(name)) {
                throw new ConfigException(file.where(property) + ": " + property + " cannot be set; Oncebox fills in \""
                        + name + "\" itself. Remove the line.");
            }
            if (params.put(name, jsonOrText(value)) != null) {
                throw new ConfigException(file.where(property) + ": \"" + name + "\" is set twice. Keep one.");
            }
        });
        for (String number : spelled.keySet()) {
            String value = values.text(number);
            if (value != null && !jsonOrText(value).isNumber()) {
                throw new ConfigException(file.where(number) + ": " + number + " must be a number.");
            }
        }
        return Collections.unmodifiableSortedMap(params);
    }

    private static JsonNode jsonOrText(String value) {
        try {
            return JSON.readTree(value);
        } catch (JsonProcessingException e) {
            return TextNode.valueOf(value);
        }
    }

    private static @Nullable JsonNode schema(Path file) {
        String text = textFile(file);
        if (text == null) {
            return null;
        }
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new ConfigException(
                    file + ":" + e.getLocation().getLineNr() + ": not valid JSON: " + e.getOriginalMessage());
        }
    }

    private static @Nullable String textFile(Path file) {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            String text = Files.readString(file);
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (IOException e) {
            throw new ConfigException(file + " cannot be read: " + e.getMessage() + ". Save it as UTF-8 text.");
        }
    }

    /** Applies a check to every job, for stages that know more about a job's parts than this class does. */
    public void check(Function<Job, @Nullable String> problem) {
        var problems = new Problems();
        for (Job job : jobs.values()) {
            String found = problem.apply(job);
            if (found != null) {
                problems.add("config/jobs/" + job.name() + ": " + found);
            }
        }
        problems.raise();
    }
}
