package dev.oncebox.intake;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads small files whole, in the words of the tests. */
final class Reading {

    static final long MAX = 1 << 20;

    private Reading() {}

    static List<Item> lines(String content) throws Exception {
        return items(FileKind.LINES, utf8(content));
    }

    static List<Item> json(String content) throws Exception {
        return items(FileKind.JSON, utf8(content));
    }

    static List<Item> text(String content) throws Exception {
        return items(FileKind.TEXT, utf8(content));
    }

    static List<Item> items(FileKind kind, byte[] content) throws Exception {
        return items(kind, content, MAX, 1 << 16);
    }

    /** Also checks that the stream was read to its end, on which the digest of the file depends. */
    static List<Item> items(FileKind kind, byte[] content, long maxItem, int chunk) throws Exception {
        InputStream in = new ByteArrayInputStream(content);
        List<Item> items = items(kind, in, maxItem, chunk);
        if (in.available() > 0) {
            throw new AssertionError("not read to the end: " + in.available() + " bytes left");
        }
        return items;
    }

    static List<Item> items(FileKind kind, InputStream in, long maxItem, int chunk) throws IOException, RejectedFile {
        List<Item> items = new ArrayList<>();
        try (ItemReader reader = ItemReader.open(kind, in, maxItem, chunk)) {
            reader.forEachRemaining(items::add);
        }
        return items;
    }

    static byte[] utf8(String content) {
        return content.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(Object... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Object part : parts) {
            if (part instanceof Integer octet) {
                out.write(octet);
            } else {
                out.writeBytes(utf8((String) part));
            }
        }
        return out.toByteArray();
    }

    static Item.Readable only(List<Item> items) {
        if (items.size() != 1) {
            throw new AssertionError("not one item: " + items);
        }
        return readable(items.get(0));
    }

    static Item.Readable readable(Item item) {
        if (item instanceof Item.Readable readable) {
            return readable;
        }
        throw new AssertionError("unreadable: " + item);
    }

    static Item.Unreadable onlyError(List<Item> items) {
        if (items.size() != 1) {
            throw new AssertionError("not one item: " + items);
        }
        return (Item.Unreadable) items.get(0);
    }

    /** The texts of the items, and the codes of the unreadable ones with an exclamation mark. */
    static List<String> outline(List<Item> items) {
        return items.stream()
                .map(item -> item instanceof Item.Unreadable bad
                        ? "!" + bad.code()
                        : readable(item).text())
                .toList();
    }
}
