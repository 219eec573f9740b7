package dev.oncebox.plan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.oncebox.intake.RejectedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Foreseen.Kind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** A plan for programs: one JSON object, written as it is made, with every invalid item. */
final class PlanJson implements PlanReport, AutoCloseable {

    private static final String UNKNOWN = "null";

    private final JsonGenerator json;

    PlanJson(OutputStream out) throws IOException {
        // to a writer: half a surrogate pair in an id stops a generator that makes UTF-8 itself
        json = new JsonFactory()
                .createGenerator(new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8)))
                .configure(JsonGenerator.Feature.AUTO_CLOSE_JSON_CONTENT, false)
                .configure(JsonGenerator.Feature.AUTO_CLOSE_TARGET, false);
        json.writeStartObject();
        json.writeArrayFieldStart("files");
    }

    private void heading(Heading heading) throws IOException {
        json.writeStartObject();
        json.writeStringField("file", heading.file());
        json.writeStringField("path", heading.path());
        json.writeStringField("job", heading.job().job().name());
        json.writeStringField("engine", heading.job().engine());
        json.writeStringField("model", heading.job().job().model());
    }

    @Override
    public void rejected(Heading heading, RejectedFile reason) throws IOException {
        heading(heading);
        json.writeObjectFieldStart("rejected");
        json.writeStringField("code", reason.code());
        json.writeStringField("message", reason.getMessage());
        json.writeEndObject();
        json.writeEndObject();
    }

    @Override
    public void begins(Heading heading, boolean takenBefore) throws IOException {
        heading(heading);
        json.writeBooleanField("takenBefore", takenBefore);
        json.writeArrayFieldStart("invalidItems");
    }

    @Override
    public void invalid(Entry.Invalid item) throws IOException {
        json.writeStartObject();
        json.writeFieldName("id");
        // an item without an id goes by its place, as in the errors file
        json.writeRawValue(item.id() == null ? String.valueOf(item.n()) : item.id());
        json.writeNumberField("line", item.line());
        json.writeNumberField("offset", item.offset());
        json.writeObjectFieldStart("error");
        json.writeStringField("code", item.code());
        json.writeStringField("message", item.message());
        json.writeEndObject();
        json.writeEndObject();
    }

    @Override
    public void ends(Heading heading, Tally tally, Estimate estimate, boolean changed) throws IOException {
        json.writeEndArray();
        if (changed) {
            json.writeBooleanField("changed", true);
        }
        sums(tally, estimate);
        json.writeEndObject();
    }

    @Override
    public void total(int files, Tally tally, Estimate estimate) throws IOException {
        json.writeEndArray();
        json.writeObjectFieldStart("total");
        json.writeNumberField("files", files);
        sums(tally, estimate);
        json.writeEndObject();
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void sums(Tally tally, Estimate estimate) throws IOException {
        json.writeNumberField("items", tally.items());
        json.writeNumberField("invalid", tally.of(Kind.INVALID));
        json.writeNumberField("repeated", tally.of(Kind.REPEATED));
        json.writeNumberField("shared", tally.of(Kind.SHARED));
        json.writeNumberField("whitespaceOnly", tally.variants());
        json.writeObjectFieldStart("calls");
        json.writeNumberField("new", tally.of(Kind.NEW));
        json.writeNumberField("retried", tally.of(Kind.RETRIED));
        json.writeNumberField("answered", tally.of(Kind.ANSWERED));
        json.writeNumberField("waiting", tally.of(Kind.WAITING));
        json.writeNumberField("inFlight", tally.of(Kind.IN_FLIGHT));
        json.writeNumberField("inDoubt", tally.of(Kind.IN_DOUBT));
        json.writeNumberField("dead", tally.of(Kind.DEAD));
        json.writeEndObject();
        json.writeNumberField("toSend", tally.sent());
        json.writeObjectFieldStart("estimate");
        number("inputTokens", estimate.input());
        number("outputTokens", estimate.output());
        number("outputTokensAtMost", estimate.outputAtMost());
        money("inputPrice", estimate.inputPrice());
        money("outputPrice", estimate.outputPrice());
        money("price", estimate.price());
        money("priceAtMost", estimate.priceAtMost());
        words("inputBy", estimate.inputBy());
        words("outputBy", estimate.outputBy());
        json.writeEndObject();
    }

    private void number(String name, @Nullable Object number) throws IOException {
        json.writeFieldName(name);
        json.writeRawValue(number == null ? UNKNOWN : number.toString());
    }

    private void money(String name, @Nullable BigDecimal amount) throws IOException {
        number(name, amount == null ? null : amount.stripTrailingZeros().toPlainString());
    }

    private void words(String name, SortedSet<String> words) throws IOException {
        json.writeArrayFieldStart(name);
        for (String word : words) {
            json.writeString(word);
        }
        json.writeEndArray();
    }

    @Override
    public void close() throws IOException {
        json.close();
    }
}
