package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What a line of the log calls a call: the beginning of its key, and the file and the item that ask for it. To be made
 * for such a line alone, since it is looked up. Names and ids are a client's, so they are shown as harmless as any text.
 *
 * @param key all 64 digits
 * @param asker null: no item asks for it, or nobody could be asked
 */
public record CallName(String key, @Nullable Asker asker) {

    private static final int BEGINNING = 12;
    private static final int LONGEST_PATH = 300;
    private static final int LONGEST_ID = 100;

    /** A line is written whether or not the ledger can be read. */
    public static CallName of(Call call, Ledger ledger) {
        try {
            return new CallName(call.keyHex(), ledger.asker(call.id()).orElse(null));
        } catch (LedgerException e) {
            return new CallName(call.keyHex(), null);
        }
    }

    /** The line with the members {@code key}, {@code file}, {@code line}, {@code item} and {@code others}. */
    public LoggingEventBuilder in(LoggingEventBuilder line) {
        LoggingEventBuilder named = line.addKeyValue("key", key);
        if (asker != null) {
            named = named.addKeyValue("file", asker.file()).addKeyValue("line", asker.line());
            named = asker.id() == null ? named : named.addKeyValue("item", id(asker.id()));
            named = asker.others() == 0 ? named : named.addKeyValue("others", asker.others());
        }
        return named;
    }

    @Override
    public String toString() {
        String call = "call " + key.substring(0, BEGINNING);
        if (asker == null) {
            return call;
        }
        return call + " (" + Shown.clipped(asker.file(), LONGEST_PATH) + ", line " + asker.line()
                + (asker.id() == null ? "" : ", id " + id(asker.id()))
                + (asker.others() == 0
                        ? ")"
                        : ", and " + asker.others() + (asker.others() == 1 ? " other item)" : " other items)"));
    }

    private static String id(String json) {
        return Shown.clipped(json, LONGEST_ID);
    }
}
