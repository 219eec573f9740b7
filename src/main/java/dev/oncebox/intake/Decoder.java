package dev.oncebox.intake;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Bytes to text, strictly: nothing is replaced, and what is wrong is found to the byte. */
final class Decoder {

    private static final char REPLACEMENT = '\uFFFD';

    private final Charset charset;

    Decoder(Charset charset) {
        this.charset = charset;
    }

    String decode(byte[] bytes, int from, int length) throws BadCharacter {
        String text = new String(bytes, from, length, charset);
        // The fast way puts U+FFFD for anything invalid; only then is it worth asking whether it was in the file.
        if (text.indexOf(REPLACEMENT) >= 0) {
            requireValid(ByteBuffer.wrap(bytes, from, length));
        }
        int nul = text.indexOf('\0');
        if (nul >= 0) {
            int bytesBefore = text.substring(0, nul).getBytes(charset).length;
            throw new BadCharacter(
                    "nul_character",
                    bytesBefore,
                    "There is a NUL character; remove it. If the file is UTF-16, save it with a byte order mark.");
        }
        return text;
    }

    private void requireValid(ByteBuffer bytes) throws BadCharacter {
        int from = bytes.position();
        CharsetDecoder strict = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer sink = CharBuffer.allocate(8192);
        CoderResult result;
        do {
            sink.clear();
            result = strict.decode(bytes, sink, true);
        } while (result.isOverflow());
        if (result.isError()) {
            String name = charset.equals(StandardCharsets.UTF_8) ? "UTF-8" : "UTF-16";
            throw new BadCharacter(
                    "invalid_encoding",
                    bytes.position() - from,
                    "The bytes here are not valid " + name + "; save the file as UTF-8 and drop it again.");
        }
    }
}
