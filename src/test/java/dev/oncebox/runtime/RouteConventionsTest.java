package dev.oncebox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an integrator's file is told: file, line, key, and what to do. */
class RouteConventionsTest {

    private static final String GOOD = """
            - routeTemplate:
                id: extra
                description: "Adapter: for the tests"
                parameters:
                  - name: from
                    description: "where from"
                    required: true
                  - name: when
                    description: "when"
                    defaultValue: now
                from:
                  uri: "{{from}}"
                  steps:
                    - filter:
                        expression:
                          simple:
                            expression: "${body} == '{{when}}'"
                        steps:
                          - to:
                              uri: direct
                              parameters:
                                name: intake
            - templatedRoute:
                routeTemplateRef: extra
                routeId: extra-made
                parameters:
                  - name: from
                    value: "file:{{my.folder}}?delete=true"
            - route:
                id: extra-more
                description: "Adapter: for the tests"
                from:
                  uri: direct
                  parameters:
                    name: extra-more
                  steps:
                    - to:
                        uri: ledger:settle
            """;

    @TempDir
    private Path folder;

    private List<String> complaints(String text) throws IOException {
        Path file = folder.resolve("7-extra.camel.yaml");
        Files.writeString(file, text);
        return RouteConventions.complaints(folder, Set.of("my.folder")).stream()
                .map(complaint -> complaint.replace(file + ":", ""))
                .toList();
    }

    @Test
    void a_file_that_keeps_to_everything_is_told_nothing() throws IOException {
        assertThat(complaints(GOOD)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id: extra-more           | id: more                      | 29: route: its id is more. Call it extra-…",
                "id: extra                | id: other                     | 1: routeTemplate: its id is other. Call it extra,",
                "routeId: extra-made      | routeId: made                 | 23: templatedRoute: its id is made.",
                "description: \"when\"    | required: false               | 8: when: the parameter has no description.",
                "'{{when}}'               | 'now'                         | 8: when: nothing uses the parameter.",
                "'{{when}}'               | '{{wenn}}'                    | 17: expression: {{wenn}} has no value.",
                "{{my.folder}}            | {{mine.folder}}               | 28: value: {{mine.folder}} has no value. Set mine.folder",
                "routeTemplateRef: extra  | routeTemplateRef: extar       | 23: templatedRoute: there is no template extar.",
                "file:{{my.folder}}       | file:/srv/in                  | 28: value: \"file:/srv/in?delete=true\" is a host or a path",
                "?delete=true             | ?delay=250                    | 28: value: delay=250 is a number",
                "uri: ledger:settle       | uri: ledger:settle?fast=true  | 38: uri: options stand below parameters",
                "uri: ledger:settle       | uri: http://example.org       | 38: uri: \"http://example.org\" is a host or a path",
            })
    void what_is_wrong_is_told_with_its_line_and_its_key(String right, String wrong, String complaint)
            throws IOException {
        assertThat(GOOD).contains(right);
        int at = GOOD.indexOf(right);
        assertThat(complaints(GOOD.substring(0, at) + wrong + GOOD.substring(at + right.length())))
                .anySatisfy(found -> assertThat(found).startsWith(complaint));
    }

    @Test
    void a_parameter_that_is_not_given_or_does_not_exist_is_told() throws IOException {
        assertThat(complaints(GOOD.replace("      - name: from\n        value", "      - name: form\n        value")))
                .anySatisfy(
                        found -> assertThat(found).startsWith("27: form: the template extra has no such parameter."))
                .anySatisfy(found -> assertThat(found).contains("wants [from] as well"));
    }

    @Test
    void a_shorthand_is_told() throws IOException {
        assertThat(complaints(GOOD.replaceAll("- to:\n +uri: ledger:settle", "- to: ledger:settle")))
                .singleElement()
                .asString()
                .startsWith("37: to: this is a shorthand");
        assertThat(complaints(GOOD.replaceAll("simple:\n +expression: ", "simple: ")))
                .singleElement()
                .asString()
                .startsWith("16: simple: this is a shorthand");
    }

    @Test
    void rules_of_its_own_for_failures_are_told() throws IOException {
        String handled = GOOD + """
                - routeConfiguration:
                    id: mine
                    description: "Dead Letter Channel: of its own"
                    onException:
                      - onException:
                          exception:
                            - java.lang.Exception
                          redeliveryPolicy:
                            maximumRedeliveries: "{{my.folder}}"
                """;
        assertThat(complaints(handled))
                .anySatisfy(found -> assertThat(found).startsWith("39: routeConfiguration: a configuration with an id"))
                .anySatisfy(found -> assertThat(found).contains("maximumRedeliveries: a repetition within a route"));
        assertThat(complaints(GOOD.replace(
                        "        - to:\n            uri: ledger:settle", "        - doTry:\n            steps: []")))
                .anySatisfy(found -> assertThat(found).contains("doTry: a route of its own rules"));
    }
}
