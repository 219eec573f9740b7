package dev.oncebox.ledger.sql;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Tells a write-ahead log that a power cut tore at its end from one that was damaged in the middle. SQLite reads either
 * up to the first frame that is wrong and forgets the rest in silence, sends that were recorded among it.
 *
 * <p>Every commit waits for the disk, so that only the last one can be torn. Where two commits or more of the same
 * generation stand behind a wrong frame, it was whole once.
 */
final class WalCheck {

    private static final int MAGIC = 0x377f0682;
    private static final int HEADER = 32;
    private static final int FRAME_HEADER = 24;
    private static final int LARGEST_PAGE = 65_536;

    private int first;
    private int second;

    private WalCheck() {}

    /** What is wrong with a log; null: nothing, or only its end is missing. */
    static @Nullable String problem(Path log) throws IOException {
        if (!Files.exists(log) || Files.size(log) <= HEADER) {
            return null;
        }
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(log), 1 << 16))) {
            return new WalCheck().problem(in, Files.size(log), String.valueOf(log.getFileName()));
        }
    }

    private @Nullable String problem(DataInputStream in, long size, String name) throws IOException {
        ByteBuffer header = read(in, HEADER);
        boolean big = header.getInt(0) == (MAGIC | 1);
        sum(header, 24, big);
        int page = header.getInt(8);
        boolean known = (header.getInt(0) & ~1) == MAGIC && page >= 512 && page <= LARGEST_PAGE;
        if (!known || !sumsAre(header, 24)) {
            return name + " has no valid beginning";
        }
        boolean whole = true;
        int lost = 0;
        for (long at = HEADER; at + FRAME_HEADER + page <= size; at += FRAME_HEADER + page) {
            ByteBuffer frame = read(in, FRAME_HEADER + page);
            boolean same = frame.getInt(8) == header.getInt(16) && frame.getInt(12) == header.getInt(20);
            if (whole) {
                sum(frame, 8, big);
                sum(frame.slice(FRAME_HEADER, page), page, big);
                whole = same && sumsAre(frame, 16);
            }
            if (!whole && same && frame.getInt(4) != 0) {
                lost++;
            }
        }
        return lost < 2 ? null : name + " is damaged before its end, with " + lost + " commits behind that";
    }

    private static ByteBuffer read(DataInputStream in, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private boolean sumsAre(ByteBuffer bytes, int at) {
        return bytes.getInt(at) == first && bytes.getInt(at + 4) == second;
    }

    private void sum(ByteBuffer bytes, int length, boolean big) {
        ByteBuffer words = bytes.duplicate().order(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < length; i += 8) {
            first += words.getInt(i) + second;
            second += words.getInt(i + 4) + first;
        }
    }
}
