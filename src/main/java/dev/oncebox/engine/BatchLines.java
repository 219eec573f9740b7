package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.oncebox.ledger.Batch;
import dev.oncebox.ledger.Call;
import dev.oncebox.ledger.CallFailed;
import dev.oncebox.ledger.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls that make one batch, as the provider wants them: for one endpoint, of one group, and no more bytes than it
 * may have.
 *
 * @param calls those of the lines, in their order
 * @param rest those that have to wait for another batch
 * @param misfit why there are no lines: the engine has no endpoint for these calls; null: there are
 */
record BatchLines(
        List<Call> calls,
        List<byte[]> lines,
        List<Call> rest,
        @Nullable CallFailed misfit) {

    static BatchLines of(Engine engine, Batch batch) {
        List<Call> calls = new ArrayList<>();
        List<Call> rest = new ArrayList<>();
        String url = url(batch.calls().get(0));
        batch.calls().forEach(call -> (url(call).equals(url) ? calls : rest).add(call));
        try {
            BatchLines fitting = fitting(engine, url, calls);
            rest.addAll(fitting.rest());
            return new BatchLines(fitting.calls(), fitting.lines(), rest, null);
        } catch (CallFailed misfit) {
            return new BatchLines(calls, List.of(), rest, misfit);
        }
    }

    private static BatchLines fitting(Engine engine, String url, List<Call> calls) throws CallFailed {
        long room = engine.settings().async().batch().bytes();
        var made = new BatchLines(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), null);
        String group = null;
        for (Call call : calls) {
            JsonNode body = engine.request(call);
            String own = engine.batches().group(body);
            group = group == null ? own : group;
            byte[] line = own.equals(group) ? engine.batches().line(call.keyHex(), url, body) : null;
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

    private static String url(Call call) {
        Request.Passed passed = call.request().passed();
        return passed == null ? Request.CHAT : passed.url();
    }
}
