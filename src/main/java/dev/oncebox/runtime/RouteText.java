package dev.oncebox.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A route file as it is written, for whoever wants to say where something stands in it.
 *
 * @param stem its name below the folder of routes, without the numbers, with hyphens
 * @param keys every key of it, in order
 */
record RouteText(Path file, String stem, List<Key> keys) {

    /**
     * A key and what stands behind it.
     *
     * @param above the names of the keys that it stands below
     * @param line counted from 1
     */
    record Key(List<String> above, String name, int line, Node value) {

        String parent() {
            return above.isEmpty() ? "" : above.get(above.size() - 1);
        }

        boolean isTop() {
            return above.isEmpty();
        }

        boolean isMapping() {
            return value instanceof MappingNode;
        }

        boolean isNumber() {
            return Tag.INT.equals(value.getTag()) || Tag.FLOAT.equals(value.getTag());
        }

        /** The value, if it is no mapping and no list. */
        @Nullable
        String text() {
            return RouteText.text(value);
        }

        /** What stands below a name in this key's mapping. */
        @Nullable
        String text(String name) {
            return RouteText.text(value, name);
        }

        /** The mappings of a list in this key's mapping. */
        List<Node> list(String name) {
            return RouteText.child(value, name) instanceof SequenceNode list ? list.getValue() : List.of();
        }
    }

    /** Reads a file; nothing when it is no YAML, which its loading says better. */
    static Optional<RouteText> read(Path folder, Path file) {
        try {
            List<Key> keys = new ArrayList<>();
            new Compose(LoadSettings.builder().build())
                    .composeString(Files.readString(file))
                    .ifPresent(root -> collect(List.of(), root, keys));
            return Optional.of(new RouteText(file, stem(folder, file), keys));
        } catch (IOException | YamlEngineException e) {
            return Optional.empty();
        }
    }

    private static String stem(Path folder, Path file) {
        return folder.relativize(file)
                .toString()
                .replace(".camel.yaml", "")
                .replaceAll("^templates/", "")
                .replaceAll("(^|/)\\d+-", "$1")
                .replace('/', '-');
    }

    private static void collect(List<String> above, Node node, List<Key> keys) {
        if (node instanceof SequenceNode list) {
            list.getValue().forEach(element -> collect(above, element, keys));
        } else if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                String name = String.valueOf(text(tuple.getKeyNode()));
                keys.add(new Key(above, name, line(tuple.getKeyNode()), tuple.getValueNode()));
                List<String> below = new ArrayList<>(above);
                below.add(name);
                collect(below, tuple.getValueNode(), keys);
            }
        }
    }

    static @Nullable String text(@Nullable Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : null;
    }

    static @Nullable String text(Node mapping, String name) {
        return text(child(mapping, name));
    }

    static int line(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
    }

    private static @Nullable Node child(Node node, String name) {
        return node instanceof MappingNode mapping
                ? mapping.getValue().stream()
                        .filter(tuple -> name.equals(text(tuple.getKeyNode())))
                        .map(NodeTuple::getValueNode)
                        .findFirst()
                        .orElse(null)
                : null;
    }
}
