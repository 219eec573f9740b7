package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileKindTest {

    @ParameterizedTest
    @CsvSource({
        "a.txt,TEXT",
        "a.md,TEXT",
        "A.PROMPT,TEXT",
        "a.jsonl,LINES",
        "a.b.NdJson,LINES",
        "d.md/a.json,JSON",
        "a.csv,TABLE",
        "a.TSV,TABLE",
        "a.jsonl.gz,LINES",
        "a.csv.GZ,TABLE"
    })
    void the_end_of_the_name_tells_the_kind(String name, FileKind kind) throws Exception {
        assertThat(FileKind.of(name)).isEqualTo(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.pdf", "a", "a.", "d.md/a", "", "a.gz", "a.pdf.gz"})
    void an_unknown_kind_is_rejected_with_the_known_ones(String name) {
        RejectedFile rejected = catchThrowableOfType(RejectedFile.class, () -> FileKind.of(name));
        assertThat(rejected.code()).isEqualTo("unknown_kind");
        assertThat(rejected)
                .hasMessageContainingAll(".txt", ".md", ".prompt", ".jsonl", ".ndjson", ".json", ".csv", ".tsv");
    }

    @Test
    void a_name_that_starts_with_a_dot_still_has_its_kind() throws Exception {
        assertThat(FileKind.of(".md")).isEqualTo(FileKind.TEXT);
    }
}
