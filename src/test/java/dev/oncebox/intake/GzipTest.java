package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GzipTest {

    @TempDir
    Path folder;

    private static byte[] gzip(String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        var bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    private RejectedFile refusal(byte[] content, long most) throws IOException {
        Path file = Files.write(folder.resolve("a.gz"), content);
        return catchThrowableOfType(RejectedFile.class, () -> Gzip.check(file, most));
    }

    @Test
    void several_members_are_one_text() throws Exception {
        Path file = Files.write(folder.resolve("a.gz"), joined(gzip("one "), gzip(""), gzip("two")));
        Gzip.check(file);
        try (var in = Gzip.unpack(Files.newInputStream(file))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("one two");
        }
    }

    @Test
    void a_file_that_is_cut_anywhere_is_refused_as_a_whole() throws Exception {
        byte[] whole = gzip("{\"text\":\"a\"}\n".repeat(50));
        for (int size = 0; size < whole.length; size++) {
            assertThat(refusal(Arrays.copyOf(whole, size), 1 << 20))
                    .as("cut at %s", size)
                    .isNotNull();
        }
        assertThat(refusal(whole, 1 << 20)).isNull();
    }

    @Test
    void what_follows_the_last_member_is_not_passed_over() throws Exception {
        assertThat(refusal(joined(gzip("one"), new byte[] {1, 2, 3}), 99).code())
                .isEqualTo("bad_gzip");
        byte[] second = gzip("two");
        second[0] = 0;
        assertThat(refusal(joined(gzip("one"), second), 99).code()).isEqualTo("bad_gzip");
    }

    @Test
    void a_bomb_is_refused_at_the_bound() throws Exception {
        assertThat(refusal(gzip("a".repeat(1001)), 1000).code()).isEqualTo("too_large");
        assertThat(refusal(gzip("a".repeat(1000)), 1000)).isNull();
    }
}
