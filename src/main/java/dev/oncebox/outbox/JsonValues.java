package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.oncebox.ledger.Outcome;
import java.io.IOException;
import java.io.OutputStream;

/** Writes items to a file, one a line. */
final class JsonValues implements ItemLines {

    private final JsonGenerator json;
    private final String end;
    private long written;

    private JsonValues(OutputStream out, String start, String separator, String end) throws IOException {
        this.json = JsonText.generator(out);
        this.end = end;
        json.setPrettyPrinter(new MinimalPrettyPrinter(separator));
        json.writeRaw(start);
    }

    /** One value a line. */
    static JsonValues lines(OutputStream out) throws IOException {
        return new JsonValues(out, "", "\n", "");
    }

    /** One JSON array, one element a line. */
    static JsonValues array(OutputStream out) throws IOException {
        return new JsonValues(out, "[\n", ",\n", "]\n");
    }

    @Override
    public void write(ItemResult result) throws IOException {
        if (result instanceof ItemResult.Answered answered) {
            write(answered);
        } else if (result instanceof ItemResult.Failed failed) {
            write(failed);
        }
        written++;
    }

    private void write(ItemResult.Answered item) throws IOException {
        Outcome.CallRecord call = item.call();
        json.writeStartObject();
        raw("id", item.outcome().id());
        if (item.json()) {
            raw("answer", JsonText.oneLine(item.value()));
        } else {
            json.writeStringField("answer", item.value());
        }
        json.writeStringField("key", call.key());
        json.writeStringField("charged", item.charged());
        json.writeStringField("engine", call.engine());
        json.writeStringField("model", call.model());
        raw("usage", call.usage() == null ? "{}" : JsonText.oneLine(call.usage()));
        json.writeEndObject();
    }

    private void write(ItemResult.Failed item) throws IOException {
        Outcome outcome = item.outcome();
        Outcome.CallRecord call = outcome.call();
        json.writeStartObject();
        raw("id", outcome.id());
        json.writeNumberField("line", outcome.line());
        if (call == null) {
            json.writeNumberField("offset", outcome.offset());
        }
        json.writeStringField("key", call == null ? null : call.key());
        json.writeObjectFieldStart("error");
        json.writeStringField("code", item.code());
        json.writeStringField("message", item.message());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void raw(String name, String value) throws IOException {
        json.writeFieldName(name);
        json.writeRawValue(value);
    }

    @Override
    public long written() {
        return written;
    }

    @Override
    public void finish() throws IOException {
        json.writeRaw((written == 0 ? "" : "\n") + end);
        json.close();
    }
}
