package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is shipped is listed, and may be shipped: the list is the build's own, so that nobody is asked. */
class ShippedIT {

    /**
     * One of these for each is enough, where a library leaves the choice. BSD-4-Clause is what the list makes of JLine's POM,
     * which says "The BSD License".
     */
    private static final Set<String> FREE = Set.of(
            "Apache-2.0",
            "MIT",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "BSD-4-Clause",
            "EPL-2.0",
            "CC0-1.0",
            "The (New) BSD License");

    private static final Path DISTRIBUTION = Path.of(System.getProperty("oncebox.dist"));

    @Test
    void every_jar_stands_in_the_list_under_a_free_licence() throws IOException {
        Npm.need(isOfThisBuild(), "Left out: Maven makes no list of what is shipped when it is offline");
        JsonNode list = TestHome.parse(Files.readString(DISTRIBUTION.resolve("oncebox-sbom.json")));
        Set<String> listed = new HashSet<>();
        for (JsonNode component : list.path("components")) {
            String name = component.path("name").asText() + "-"
                    + component.path("version").asText() + ".jar";
            listed.add(name);
            Set<String> licences = new HashSet<>();
            component.path("licenses").forEach(each -> {
                JsonNode licence = each.path("license");
                licences.add(
                        licence.has("id")
                                ? licence.path("id").asText()
                                : licence.path("name").asText());
            });
            assertThat(licences).as(name).containsAnyElementsOf(FREE);
        }
        try (Stream<Path> jars = Files.list(DISTRIBUTION.resolve("lib"))) {
            Set<String> shipped = jars.map(jar -> jar.getFileName().toString())
                    .filter(name -> name.endsWith(".jar") && !name.startsWith("oncebox-"))
                    .collect(Collectors.toSet());
            assertThat(listed).isEqualTo(shipped);
        }
    }

    /** The list is made after the jar. */
    private static boolean isOfThisBuild() throws IOException {
        Path made = DISTRIBUTION.resolveSibling("oncebox-sbom.json");
        Path jar = DISTRIBUTION.resolveSibling("oncebox-0.1.0.jar");
        return Files.exists(made)
                && Files.getLastModifiedTime(made).compareTo(Files.getLastModifiedTime(jar)) >= 0
                && Files.exists(DISTRIBUTION.resolve("oncebox-sbom.json"));
    }
}
