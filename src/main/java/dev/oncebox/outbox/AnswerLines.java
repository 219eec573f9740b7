package dev.oncebox.outbox;

import dev.oncebox.ledger.Outcome;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Writes answers as a batch's lines in the outbox; items without one are left out. Closing does not close the stream. */
public final class AnswerLines implements AutoCloseable {

    private final JsonValues lines;

    public AnswerLines(OutputStream out) throws IOException {
        lines = JsonValues.lines(new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        });
    }

    public void write(Outcome outcome) throws IOException {
        if (ItemResult.of(outcome, false) instanceof ItemResult.Answered answered) {
            lines.write(answered);
        }
    }

    @Override
    public void close() throws IOException {
        lines.finish();
    }
}
