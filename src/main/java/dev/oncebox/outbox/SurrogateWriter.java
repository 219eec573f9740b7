package dev.oncebox.outbox;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Writes JSON in UTF-8. Half a surrogate pair has no UTF-8; in JSON it can only stand inside a string, where its
 * {@code \}{@code u} escape means the same.
 */
final class SurrogateWriter extends Writer {

    private final Writer out;
    private char high;

    SurrogateWriter(OutputStream out) {
        this.out = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    }

    @Override
    public void write(char[] text, int start, int length) throws IOException {
        int end = start + length;
        int plain = start;
        for (int i = start; i < end; i++) {
            char c = text[i];
            if (high == 0 && !Character.isSurrogate(c)) {
                continue;
            }
            out.write(text, plain, i - plain);
            plain = i + 1;
            surrogate(c);
        }
        out.write(text, plain, end - plain);
    }

    private void surrogate(char c) throws IOException {
        if (high != 0 && Character.isLowSurrogate(c)) {
            out.write(new char[] {high, c});
            high = 0;
            return;
        }
        escapeHigh();
        if (Character.isHighSurrogate(c)) {
            high = c;
        } else if (Character.isLowSurrogate(c)) {
            escape(c);
        } else {
            out.write(c);
        }
    }

    private void escapeHigh() throws IOException {
        if (high != 0) {
            escape(high);
            high = 0;
        }
    }

    private void escape(char c) throws IOException {
        out.write("\\u" + Integer.toHexString(c));
    }

    /** Half a pair stays here, as the other half may follow. */
    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        escapeHigh();
        out.close();
    }
}
