package dev.oncebox.ledger.sql;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * How bodies are kept: the first byte says whether the rest is plain (0) or deflated (1), and of a text whether it is
 * in UTF-8, or (2 more) in UTF-16, as it holds half a surrogate pair, which UTF-8 cannot keep.
 */
final class Packed {

    private static final int WORTHWHILE = 4096;
    private static final byte PLAIN = 0;
    private static final byte DEFLATED = 1;
    private static final byte UTF_16 = 2;

    private Packed() {}

    static byte[] pack(String text) {
        return isWellFormed(text) ? pack(text.getBytes(StandardCharsets.UTF_8)) : pack(units(text), UTF_16);
    }

    private static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (Character.charCount(text.codePointAt(i)) == 1) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Java's own encoder for UTF-16 would replace what it is needed for. */
    private static byte[] units(String text) {
        byte[] units = new byte[2 * text.length()];
        ByteBuffer.wrap(units).asCharBuffer().put(text);
        return units;
    }

    static byte[] pack(byte[] bytes) {
        return pack(bytes, PLAIN);
    }

    private static byte[] pack(byte[] bytes, byte encoding) {
        if (bytes.length < WORTHWHILE) {
            byte[] packed = new byte[bytes.length + 1];
            packed[0] = (byte) (PLAIN | encoding);
            System.arraycopy(bytes, 0, packed, 1, bytes.length);
            return packed;
        }
        var deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            var out = new ByteArrayOutputStream(bytes.length / 2);
            out.write(DEFLATED | encoding);
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
        byte[] bytes = unpack(packed);
        return (packed[0] & UTF_16) == 0
                ? new String(bytes, StandardCharsets.UTF_8)
                : ByteBuffer.wrap(bytes).asCharBuffer().toString();
    }

    static byte[] unpack(byte[] packed) {
        if ((packed[0] & DEFLATED) == 0) {
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
