package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileKindTest {

    @ParameterizedTest
    @CsvSource({"a.txt,TEXT", "a.md,TEXT", "A.PROMPT,TEXT", "a.jsonl,LINES", "a.b.NdJson,LINES", "d.md/a.json,JSON"})
    void the_end_of_the_name_tells_the_kind(String name, FileKind kind) throws Exception {
        assertThat(FileKind.of(name)).isEqualTo(kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.csv", "a.TSV", "a.gz", "a.jsonl.gz", "a.csv.gz"})
    void tables_and_compressed_files_are_not_supported_yet(String name) {
        RejectedFile rejected = catchThrowableOfType(RejectedFile.class, () -> FileKind.of(name));
        assertThat(rejected.code()).isEqualTo("unsupported_kind");
        assertThat(rejected).hasMessageContaining("is not supported yet");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.pdf", "a", "a.", "d.md/a", ""})
    void an_unknown_kind_is_rejected_with_the_known_ones(String name) {
        RejectedFile rejected = catchThrowableOfType(RejectedFile.class, () -> FileKind.of(name));
        assertThat(rejected.code()).isEqualTo("unknown_kind");
        assertThat(rejected).hasMessageContainingAll(".txt", ".md", ".prompt", ".jsonl", ".ndjson", ".json");
    }

    @Test
    void a_name_that_starts_with_a_dot_still_has_its_kind() throws Exception {
        assertThat(FileKind.of(".md")).isEqualTo(FileKind.TEXT);
    }
}
