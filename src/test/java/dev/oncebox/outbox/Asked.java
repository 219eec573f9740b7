package dev.oncebox.outbox;

import static java.util.Objects.requireNonNull;

import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.EventKind;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.Outcome;
import dev.oncebox.ledger.Outcome.CallRecord;
import dev.oncebox.ledger.Outcome.StoredAnswer;
import dev.oncebox.ledger.Output;
import dev.oncebox.ledger.SettledFile;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Items of one file and what became of them, as the ledger would tell. */
final class Asked {

    static final long NOON = 1_764_417_600_000L;

    final List<Outcome> outcomes = new ArrayList<>();
    private boolean unsettled;

    Asked answered(String id, String answer) {
        return answered(id, answer, false, true, 0);
    }

    Asked answeredJson(String id, String answer) {
        return answered(id, answer, true, true, 0);
    }

    Asked reused(String id, String answer) {
        return answered(id, answer, false, false, 0);
    }

    Asked doubtful(String id, String answer) {
        return answered(id, answer, false, true, 1);
    }

    private Asked answered(String id, String answer, boolean json, boolean fresh, int doubts) {
        int n = outcomes.size() + 1;
        var call = new CallRecord(
                n,
                "key" + n,
                1,
                1,
                doubts,
                "default",
                "tiny",
                "{\"total\": 12}",
                5L,
                7L,
                new BigDecimal("0.000012"),
                NOON + n,
                NOON + 1000 + n,
                List.of(),
                "req_" + n);
        return add(fresh, call, null, null, new StoredAnswer(answer, json), id);
    }

    Asked failed(String id, int attempts) {
        int n = outcomes.size() + 1;
        var call = new CallRecord(
                n,
                "key" + n,
                1,
                attempts,
                0,
                "spare",
                null,
                null,
                null,
                null,
                null,
                NOON + n,
                NOON + 5000,
                List.of(),
                null);
        return add(true, call, "http_400", "It is refused.", null, id);
    }

    Asked invalid(String code) {
        return add(false, null, code, "It cannot be read.", null, String.valueOf(outcomes.size() + 1));
    }

    /** The last item's call, when the engine told nothing of it. */
    Asked withoutUsage() {
        return last(call -> call == null
                ? null
                : new CallRecord(
                        call.id(),
                        call.key(),
                        call.sends(),
                        call.attempts(),
                        call.doubts(),
                        call.engine(),
                        null,
                        null,
                        null,
                        null,
                        null,
                        call.sentAt(),
                        call.doneAt(),
                        call.history(),
                        null));
    }

    /** The last item's call had another attempt before. */
    Asked sentBefore(Outcome.Attempt before) {
        return last(call -> call == null
                ? null
                : new CallRecord(
                        call.id(),
                        call.key(),
                        2,
                        2,
                        call.doubts(),
                        call.engine(),
                        call.model(),
                        call.usage(),
                        call.inputTokens(),
                        call.outputTokens(),
                        call.cost(),
                        call.sentAt(),
                        call.doneAt(),
                        List.of(
                                before,
                                new Outcome.Attempt(
                                        2, call.engine(), EventKind.COMPLETE, Charged.YES, call.cost(), "req_b")),
                        "req_b"));
    }

    /** What is to be said of the last item's answer. */
    Asked noted(String... codes) {
        int last = outcomes.size() - 1;
        Outcome old = outcomes.get(last);
        StoredAnswer answer = requireNonNull(old.answer());
        outcomes.set(
                last,
                new Outcome(
                        old.n(),
                        old.line(),
                        old.offset(),
                        old.id(),
                        old.variant(),
                        old.fresh(),
                        old.call(),
                        null,
                        null,
                        new StoredAnswer(answer.text(), answer.json(), List.of(codes))));
        return this;
    }

    /** The last item has the call of an earlier one. */
    Asked sharing(int n) {
        return last(call -> outcomes.get(n - 1).call());
    }

    private Asked last(UnaryOperator<@Nullable CallRecord> change) {
        int last = outcomes.size() - 1;
        Outcome old = outcomes.get(last);
        outcomes.set(
                last,
                new Outcome(
                        old.n(),
                        old.line(),
                        old.offset(),
                        old.id(),
                        true,
                        old.fresh(),
                        change.apply(old.call()),
                        old.code(),
                        old.message(),
                        old.answer()));
        return this;
    }

    Asked unsettled() {
        unsettled = true;
        return this;
    }

    private Asked add(
            boolean fresh,
            @Nullable CallRecord call,
            @Nullable String code,
            @Nullable String message,
            @Nullable StoredAnswer answer,
            String id) {
        int n = outcomes.size() + 1;
        outcomes.add(new Outcome(n, 10L + n, 100L * n, id, false, fresh, call, code, message, answer));
        return this;
    }

    static SettledFile file(String path, DroppedFile.Kind kind) {
        return file(path, kind, (Output) null);
    }

    static SettledFile file(String path, DroppedFile.Kind kind, String output) {
        return file(path, kind, Output.unsealed(output));
    }

    static SettledFile file(String path, DroppedFile.Kind kind, @Nullable Output output) {
        return new SettledFile(1, path, "default", kind, new byte[] {1, (byte) 0xAB}, NOON, 0, 0, null, output);
    }

    /** The file as the intake would have counted it. */
    SettledFile counted(SettledFile file) {
        long invalid = outcomes.stream().filter(each -> each.call() == null).count();
        return counted(file, outcomes.size(), invalid);
    }

    static SettledFile counted(SettledFile file, long items, long invalid) {
        return new SettledFile(
                file.id(),
                file.path(),
                file.job(),
                file.kind(),
                file.sha256(),
                file.receivedAt(),
                items,
                invalid,
                file.sidecar(),
                file.output());
    }

    /** A ledger that knows these outcomes and nothing else. */
    Ledger ledger() {
        return (Ledger) Proxy.newProxyInstance(
                Ledger.class.getClassLoader(), new Class<?>[] {Ledger.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("outcomes")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    @SuppressWarnings("unchecked")
                    var each = (Consumer<Outcome>) arguments[1];
                    outcomes.forEach(each);
                    return !unsettled;
                });
    }
}
