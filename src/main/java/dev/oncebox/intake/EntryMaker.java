package dev.oncebox.intake;

import dev.oncebox.job.Job;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Request;
import java.util.Objects;

/** Correlation Identifier: makes the request of an item and the key that tells whether it was asked before. */
final class EntryMaker {

    private final Job job;
    private final Prompt prompt;

    EntryMaker(Job job) {
        this.job = job;
        this.prompt = new Prompt(job);
    }

    Entry entry(Item item) {
        if (item instanceof Item.Unreadable bad) {
            return new Entry.Invalid(bad.n(), bad.line(), bad.offset(), bad.id(), bad.code(), bad.message());
        }
        Item.Readable readable = (Item.Readable) item;
        if (readable.id() == null && job.keying() == Keying.ID) {
            return new Entry.Invalid(
                    readable.n(),
                    readable.line(),
                    readable.offset(),
                    null,
                    "no_id",
                    "This job's key is the id, and this item has none. Give it one (a .jsonl line can have one, a text"
                            + " cannot), or set another key in job.properties.");
        }
        try {
            return asking(readable);
        } catch (Prompt.MissingField e) {
            return new Entry.Invalid(
                    readable.n(),
                    readable.line(),
                    readable.offset(),
                    readable.id(),
                    "missing_field",
                    String.valueOf(e.getMessage()));
        }
    }

    private Entry asking(Item.Readable item) throws Prompt.MissingField {
        boolean messages = item.messages() != null;
        Request request = item.passed() != null
                ? Request.of(item.passed(), job.model(), item.fields().get("sample"))
                : new Request(
                        job.system(),
                        messages ? null : prompt.render(item),
                        item.messages(),
                        job.model(),
                        job.params(),
                        job.schema(),
                        item.fields().get("sample"));
        Keying keying = job.keyingOf(messages || item.passed() != null);
        byte[] key = keying == Keying.ID
                ? RequestKey.ofId(job.name(), Objects.requireNonNull(item.id()))
                : RequestKey.of(request, keying);
        return new Entry.Asking(
                item.n(),
                item.line(),
                item.offset(),
                item.id(),
                key,
                content(request, keying, key),
                keying,
                request,
                item.row());
    }

    /** What tells apart items of one key: under an id their normalised content, else the way they are written. */
    private static byte[] content(Request request, Keying keying, byte[] key) {
        return switch (keying) {
            case EXACT -> key;
            case ID -> RequestKey.of(request, request.text() == null ? Keying.LINES : Keying.WHITESPACE);
            case WHITESPACE, LINES -> RequestKey.of(request, Keying.EXACT);
        };
    }
}
