package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.PropertyFile;
import dev.oncebox.runtime.RouteConventions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What every file under routes/ keeps to, so that an integrator finds the next one as he found the last. */
class ConventionsTest {

    private static final Path ROUTES = Path.of("routes");
    private static final int MOST_STEPS = 8;
    private static final int MOST_LINES = 360;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\??([A-Za-z0-9.-]+)(?::[^}]*)?}}");

    static List<Path> routeFiles() throws IOException {
        return files(ROUTES, ".yaml");
    }

    /** A mapping below the top of a file, and under which names it stands. */
    private record Node(List<String> path, String name, Object value) {
        String parent() {
            return path.isEmpty() ? "" : path.get(path.size() - 1);
        }

        @Override
        public String toString() {
            return String.join("/", path) + "/" + name + ": " + value;
        }
    }

    @ParameterizedTest
    @MethodSource("routeFiles")
    void a_route_file_is_named_as_such_and_begins_with_why_it_is_there(Path file) throws IOException {
        assertThat(file.toString()).endsWith(".camel.yaml");
        List<String> lines = Files.readAllLines(file);
        long header = lines.stream().takeWhile(line -> line.startsWith("# ")).count();
        assertThat(header).as("lines of the header").isBetween(1L, 3L);
        assertThat(load(file)).isInstanceOf(List.class);
    }

    @ParameterizedTest
    @MethodSource("routeFiles")
    void a_route_says_which_pattern_it_is_and_has_few_steps(Path file) {
        for (Node node : nodes(file)) {
            if (node.path().isEmpty() && !node.name().equals("templatedRoute")) {
                assertThat(((Map<?, ?>) node.value()).get("description"))
                        .asString()
                        .matches("(?s)[A-Z].+: .+");
            }
            if (node.name().equals("steps")) {
                assertThat((List<?>) node.value()).as("%s", node.path()).hasSizeLessThanOrEqualTo(MOST_STEPS);
            }
            assertThat(node.name()).as("normal operation logs nothing").isNotEqualTo("log");
        }
    }

    @Test
    void every_route_keeps_to_what_is_asked_of_an_integrators() throws IOException {
        assertThat(RouteConventions.complaints(ROUTES, shown())).isEmpty();
    }

    @Test
    void every_direct_name_is_a_routes_id_and_is_led_to() throws IOException {
        Set<String> ids = new HashSet<>();
        Set<String> ledFrom = new HashSet<>();
        Set<String> ledTo = new HashSet<>();
        for (Path file : routeFiles()) {
            for (Node node : nodes(file)) {
                if (node.name().equals("id")) {
                    ids.add((String) node.value());
                }
                if (node.value() instanceof Map<?, ?> endpoint && "direct".equals(endpoint.get("uri"))) {
                    String name = (String) ((Map<?, ?>) endpoint.get("parameters")).get("name");
                    (node.name().equals("from") ? ledFrom : ledTo).add(name);
                }
            }
        }
        assertThat(ids).containsAll(ledFrom);
        assertThat(ledTo).isEqualTo(ledFrom);
    }

    @Test
    void every_property_that_a_route_uses_is_shown_in_the_configuration() throws IOException {
        for (Path file : routeFiles()) {
            if (file.startsWith(ROUTES.resolve("templates"))) {
                continue;
            }
            var used = PLACEHOLDER.matcher(Files.readString(file));
            while (used.find()) {
                assertThat(shown()).as(file.toString()).contains(used.group(1));
            }
        }
    }

    private static Set<String> shown() {
        return PropertyFile.read(Path.of("config/application.properties"))
                .values()
                .keySet();
    }

    @Test
    void every_knob_is_explained() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("config/application.properties"));
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches("[a-z].*=.*")) {
                int above = i;
                while (lines.get(above).matches("#?[a-z][A-Za-z.-]*=.*")) {
                    above--;
                }
                assertThat(lines.get(above)).as(lines.get(i)).startsWith("# ");
            }
        }
    }

    @Test
    void no_class_of_the_tests_hides_one_of_the_product() throws IOException {
        Set<String> product = names(Path.of("src/main/java"));
        Set<String> tests = names(Path.of("src/test/java"));
        tests.retainAll(product);
        tests.removeIf(name -> name.endsWith("package-info.java"));
        assertThat(tests).isEmpty();
    }

    @Test
    void no_source_file_is_longer_than_one_can_hold_in_mind() throws IOException {
        Map<Path, Integer> longOnes = new TreeMap<>();
        for (Path file : files(Path.of("src"), ".java")) {
            int lines = Files.readAllLines(file).size();
            if (lines > MOST_LINES) {
                longOnes.put(file, lines);
            }
        }
        assertThat(longOnes).isEmpty();
    }

    private static Set<String> names(Path root) throws IOException {
        return files(root, ".java").stream()
                .map(file -> root.relativize(file).toString())
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static List<Path> files(Path root, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    private static Object load(Path file) {
        try {
            return new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build())
                    .loadFromString(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Node> nodes(Path file) {
        List<Node> nodes = new ArrayList<>();
        collect(List.of(), load(file), nodes);
        return nodes;
    }

    private static void collect(List<String> path, Object value, List<Node> nodes) {
        if (value instanceof List<?> list) {
            list.forEach(element -> collect(path, element, nodes));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, member) -> {
                String name = String.valueOf(key);
                nodes.add(new Node(path, name, member));
                List<String> below = new ArrayList<>(path);
                below.add(name);
                collect(below, member, nodes);
            });
        }
    }
}
