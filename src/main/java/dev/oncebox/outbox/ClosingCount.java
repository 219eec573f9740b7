package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts that must be equal, from places that do not know of one another: what the intake recorded, what the ledger
 * gave, and what was written. What differs is said, and keeps no answer back: it is paid for.
 */
final class ClosingCount {

    private final List<Difference> differences = new ArrayList<>();

    private record Difference(String what, long expected, long found) {
        @Override
        public String toString() {
            return what + ": " + expected + " expected, " + found + " found";
        }
    }

    ClosingCount check(String what, long expected, long found) {
        if (expected != found) {
            differences.add(new Difference(what, expected, found));
        }
        return this;
    }

    boolean addsUp() {
        return differences.isEmpty();
    }

    void write(JsonGenerator json) throws IOException {
        json.writeBooleanField("addsUp", addsUp());
        if (addsUp()) {
            return;
        }
        json.writeArrayFieldStart("differences");
        for (Difference difference : differences) {
            json.writeStartObject();
            json.writeStringField("what", difference.what());
            json.writeNumberField("expected", difference.expected());
            json.writeNumberField("found", difference.found());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    @Override
    public String toString() {
        return differences.toString();
    }
}
