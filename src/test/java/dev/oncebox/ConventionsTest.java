package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.config.PropertyFile;
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
    private static final Set<String> LANGUAGES =
            Set.of("simple", "constant", "method", "header", "jsonpath", "jq", "variable", "exchangeProperty");
    private static final Set<String> HOLDS_AN_EXPRESSION = Set.of("expression", "onWhen", "handled", "continued");
    /** Numbers that are no setting: what they mean is in the name, and nobody would want another. */
    private static final Map<String, Object> NUMBERS = Map.of("initialDelay", 0);

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\??([A-Za-z0-9.-]+)(?::[^}]*)?}}");

    static List<Path> routeFiles() throws IOException {
        return files(ROUTES, "");
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
    void a_route_has_the_name_of_its_file_and_says_which_pattern_it_is(Path file) {
        String name = ROUTES.relativize(file)
                .toString()
                .replace(".camel.yaml", "")
                .replaceAll("(^|/)\\d+-", "$1")
                .replace('/', '-');
        for (Node node : nodes(file)) {
            if (node.path().isEmpty()
                    && Set.of("route", "routeTemplate", "routeConfiguration").contains(node.name())) {
                Map<?, ?> route = (Map<?, ?>) node.value();
                assertThat(route.get("description")).asString().matches("(?s)[A-Z].+: .+");
                if (node.name().equals("routeConfiguration")) {
                    assertThat(route.containsKey("id"))
                            .as("an id would leave routes uncovered")
                            .isFalse();
                } else {
                    assertThat(route.get("id")).isEqualTo(name);
                }
            }
            if (node.name().equals("steps")) {
                assertThat((List<?>) node.value()).as("%s", node.path()).hasSizeLessThanOrEqualTo(MOST_STEPS);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("routeFiles")
    void a_route_file_is_canonical_yaml(Path file) {
        for (Node node : nodes(file)) {
            if (node.parent().equals("steps") || Set.of("from", "route").contains(node.name())) {
                assertThat(node.value()).as("no shorthand: %s", node).isInstanceOf(Map.class);
            }
            boolean language = LANGUAGES.contains(node.name())
                    && !node.parent().equals("bean")
                    && !node.parent().equals("parameters")
                    && !(node.name().equals("method") && isMethodsOwn(node));
            if (language) {
                assertThat(node.value()).as("no shorthand: %s", node).isInstanceOf(Map.class);
                assertThat(HOLDS_AN_EXPRESSION).as("%s", node).contains(node.parent());
            }
        }
    }

    private static boolean isMethodsOwn(Node node) {
        return node.parent().equals("method");
    }

    @ParameterizedTest
    @MethodSource("routeFiles")
    void a_route_file_has_no_host_path_option_or_number_of_its_own(Path file) {
        for (Node node : nodes(file)) {
            if (node.value() instanceof Number number) {
                assertThat(NUMBERS).as("%s", node).containsEntry(node.name(), number);
            }
            if (node.value() instanceof String text) {
                String forbidden = isAddressOfThePage(node) ? "\\d+(ms|s|m)?" : "/.*|\\d+(ms|s|m)?";
                assertThat(text).as("%s", node).doesNotContain("://").doesNotMatch(forbidden);
            }
            if (node.name().equals("uri")) {
                assertThat((String) node.value())
                        .as("options stand under parameters")
                        .doesNotContain("?", "&");
            }
            assertThat(node.name()).as("normal operation logs nothing").isNotEqualTo("log");
        }
    }

    /** They are the API, and no setting: a page at another address would not find them. */
    private static boolean isAddressOfThePage(Node node) {
        return node.name().equals("path") && String.valueOf(node.value()).matches("/(api|observe)/.+");
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
        Set<String> shown = PropertyFile.read(Path.of("config/application.properties"))
                .values()
                .keySet();
        for (Path file : routeFiles()) {
            var used = PLACEHOLDER.matcher(Files.readString(file));
            while (used.find()) {
                assertThat(shown).as(file.toString()).contains(used.group(1));
            }
        }
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
