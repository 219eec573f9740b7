package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import dev.oncebox.ledger.Outcome;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A receipt item by item, a JSON object a line: what each caused, so that the lines add up to the file's receipt. An
 * item that found its call known caused nothing. Closing does not close the stream.
 */
public final class ReceiptLines implements AutoCloseable {

    private static final String FREE = "no";

    private final JsonGenerator json;

    public ReceiptLines(OutputStream out) throws IOException {
        json = JsonText.generator(new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        });
        json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
    }

    /** Writes an item that has its end. */
    public void write(Outcome outcome) throws IOException {
        ItemResult result = ItemResult.of(outcome, false);
        Outcome.CallRecord call = outcome.call();
        String charged = charged(result);
        boolean caused = charged.equals("new") || charged.equals("unknown");
        json.writeStartObject();
        json.writeFieldName("id");
        json.writeRawValue(outcome.id());
        json.writeNumberField("line", outcome.line());
        json.writeStringField("key", call == null ? null : call.key());
        json.writeStringField("charged", charged);
        json.writeStringField("engine", call == null || call.sends() == 0 ? null : call.engine());
        json.writeStringField("model", call == null ? null : call.model());
        json.writeNumberField("attempts", call == null ? 0 : call.sends());
        json.writeStringField("requestId", call == null ? null : call.requestId());
        number("inputTokens", caused && call != null ? call.inputTokens() : Long.valueOf(0));
        number("outputTokens", caused && call != null ? call.outputTokens() : Long.valueOf(0));
        BigDecimal cost = caused && call != null ? Receipt.cost(call) : BigDecimal.ZERO;
        number("cost", cost == null ? null : cost.stripTrailingZeros().toPlainString());
        json.writeStringField("error", result instanceof ItemResult.Failed failed ? failed.code() : null);
        json.writeEndObject();
    }

    private static String charged(ItemResult result) {
        Outcome.CallRecord call = result.outcome().call();
        if (result instanceof ItemResult.Answered answered) {
            return answered.charged();
        }
        if (call == null || !result.outcome().fresh()) {
            return FREE;
        }
        return call.doubts() > 0 ? "unknown" : call.attempts() > 0 ? "new" : FREE;
    }

    private void number(String name, @Nullable Object number) throws IOException {
        Receipt.writeNumber(json, name, number);
    }

    @Override
    public void close() throws IOException {
        json.writeRaw("\n");
        json.close();
    }
}
