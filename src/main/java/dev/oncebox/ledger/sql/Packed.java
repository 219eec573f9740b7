package dev.oncebox.ledger.sql;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** How bodies are kept: the first byte says whether the rest is plain (0) or deflated (1). */
final class Packed {

    private static final int WORTHWHILE = 4096;
    private static final byte PLAIN = 0;
    private static final byte DEFLATED = 1;

    private Packed() {}

    static byte[] pack(String text) {
        return pack(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] pack(byte[] bytes) {
        if (bytes.length < WORTHWHILE) {
            byte[] packed = new byte[bytes.length + 1];
            packed[0] = PLAIN;
            System.arraycopy(bytes, 0, packed, 1, bytes.length);
            return packed;
        }
        var deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            var out = new ByteArrayOutputStream(bytes.length / 2);
            out.write(DEFLATED);
            byte[] buffer = new byte[8192];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
            return out.toByteArray();
        } finally {
            deflater.end();
        }
    }

    static String text(byte[] packed) {
        return new String(unpack(packed), StandardCharsets.UTF_8);
    }

    static byte[] unpack(byte[] packed) {
        if (packed[0] == PLAIN) {
            return Arrays.copyOfRange(packed, 1, packed.length);
        }
        var inflater = new Inflater();
        try {
            inflater.setInput(packed, 1, packed.length - 1);
            var out = new ByteArrayOutputStream(packed.length * 3);
            byte[] buffer = new byte[8192];
            while (!inflater.finished()) {
                int read = inflater.inflate(buffer);
                if (read == 0 && inflater.needsInput()) {
                    throw new IllegalStateException("a stored body ends too early");
                }
                out.write(buffer, 0, read);
            }
            return out.toByteArray();
        } catch (DataFormatException e) {
            throw new IllegalStateException("a stored body is damaged", e);
        } finally {
            inflater.end();
        }
    }
}
