package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls that make one batch, as the provider wants them: of one group, and no more bytes than it may have.
 *
 * @param calls those of the lines, in their order
 * @param rest those that have to wait for another batch
 */
record BatchLines(List<Call> calls, List<byte[]> lines, List<Call> rest) {

    static BatchLines of(Engine engine, Batch batch) {
        long room = engine.settings().async().batch().bytes();
        var made = new BatchLines(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        String group = null;
        for (Call call : batch.calls()) {
            JsonNode body = engine.request(call);
            String own = engine.batches().group(body);
            group = group == null ? own : group;
            byte[] line = own.equals(group) ? engine.batches().line(call.keyHex(), body) : null;
            if (line == null || (line.length + 1 > room && !made.calls().isEmpty())) {
                made.rest().add(call);
                continue;
            }
            room -= line.length + 1;
            made.calls().add(call);
            made.lines().add(line);
        }
        return made;
    }
}
