package dev.oncebox.ledger.sql;

import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Entry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Items of a file by their id: those that the ledger has and that may be asked about by a chunk, and those of the chunk
 * that came before. Where an item has no id, its place in the file serves as one.
 */
final class EarlierItems {

    /** Stays within the index of ids; asked for more of the item, SQLite would read through the whole file instead. */
    static final String WITH_ID =
            "SELECT id, min(n) FROM item WHERE file = ? AND id IN" + Session.AMONG + " AND id IS NOT NULL GROUP BY id";

    static final String WITHOUT_ID = "SELECT n FROM item WHERE file = ? AND n IN" + Session.AMONG + " AND id IS NULL";

    private static final String OF_THESE = "SELECT i.n, c.key, c.content FROM item i LEFT JOIN call c ON c.id = i.call"
            + " WHERE i.file = ? AND i.n IN" + Session.AMONG;

    /**
     * An item.
     *
     * @param key of the call that it asks for; null: it was refused
     * @param content of the item that caused this call
     */
    record Earlier(long n, byte @Nullable [] key, byte @Nullable [] content) {

        boolean asksFor(Entry.Asking asking) {
            if (!Arrays.equals(key, asking.key())) {
                return false;
            }
            return asking.keying() != Keying.ID || Arrays.equals(content, asking.content());
        }
    }

    private final long last;
    private final UnaryOperator<String> asStored;
    private final Map<String, Earlier> withId = new HashMap<>();
    private final Map<Long, Earlier> withoutId = new HashMap<>();

    private EarlierItems(long last, UnaryOperator<String> asStored) {
        this.last = last;
        this.asStored = asStored;
    }

    static EarlierItems of(Session session, long file, List<Entry> entries) throws SQLException {
        long last = session.number("SELECT coalesce(max(n), 0) FROM item WHERE file = ?", file);
        var earlier = new EarlierItems(last, session::asStored);
        if (earlier.last > 0) {
            earlier.read(session, file, entries);
        }
        return earlier;
    }

    private void read(Session session, long file, List<Entry> entries) throws SQLException {
        List<String> ids = new ArrayList<>();
        List<Long> places = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry instanceof Entry.Asking asking) {
                ids.add(id(asking));
                if (isPlace(asking)) {
                    places.add(Long.parseLong(id(asking)));
                }
            }
        }
        Map<Long, @Nullable String> found = new TreeMap<>();
        session.among(
                WITH_ID,
                row -> {
                    found.put(row.getLong(2), row.getString(1));
                    return true;
                },
                ids,
                file);
        session.among(
                WITHOUT_ID,
                row -> {
                    found.put(row.getLong(1), null);
                    return true;
                },
                places,
                file);
        session.among(
                OF_THESE,
                row -> {
                    var item = new Earlier(row.getLong(1), row.getBytes(2), row.getBytes(3));
                    add(item.n(), found.get(item.n()), item);
                    return true;
                },
                new ArrayList<>(found.keySet()),
                file);
    }

    private String id(Entry.Asking asking) {
        return asking.id() == null ? String.valueOf(asking.n()) : asStored.apply(asking.id());
    }

    private static boolean isPlace(Entry.Asking asking) {
        return asking.id() != null && SqlItems.LINE_NUMBER.matcher(asking.id()).matches();
    }

    /** Whether the ledger may have this item of the file: the chunk begins again somewhere before. */
    boolean mayHave(long n) {
        return n <= last;
    }

    /** An item of the file from now on; the first of its id stands for those after it. */
    void add(long n, @Nullable String id, Earlier item) {
        if (id == null) {
            withoutId.put(n, item);
        } else {
            withId.putIfAbsent(asStored.apply(id), item);
        }
    }

    /** The first item with the same id; null: there is none. */
    @Nullable
    Earlier sameId(Entry.Asking asking) {
        Earlier same = withId.get(id(asking));
        return same == null && isPlace(asking) ? withoutId.get(Long.parseLong(id(asking))) : same;
    }
}
