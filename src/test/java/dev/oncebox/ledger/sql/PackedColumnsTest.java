package dev.oncebox.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ledger.Charged;
import dev.oncebox.ledger.DroppedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerTck;
import dev.oncebox.ledger.ReceivedFile;
import dev.oncebox.ledger.Reply;
import dev.oncebox.ledger.Steps;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whatever is large is packed, in which table it may stand. */
class PackedColumnsTest extends LedgerTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }

    @Test
    void large_requests_answers_replies_and_rows_are_packed() {
        String large = "All of this is said again and again. ".repeat(3000);
        Entry.Asking asking = (Entry.Asking) asking(1, large);
        ReceivedFile file = ledger.receive(
                new DroppedFile("t.csv", job("default", ENGINE), DroppedFile.Kind.TABLE, sha256("t"), large));
        ledger.record(
                file,
                List.of(new Entry.Asking(
                        1, 1, 0, null, asking.key(), asking.content(), asking.keying(), asking.request(), large)));
        ledger.taken(file);
        var call = send();
        ledger.settle(
                call,
                incomplete(Charged.YES),
                Steps.of(incomplete(Charged.YES)),
                new Reply(200, large.getBytes(StandardCharsets.UTF_8)));
        clock.pass(Duration.ofHours(1));
        attempt(valid(large));

        for (String table : List.of("request", "answer", "reply", "source")) {
            assertThat(rows("SELECT length(body) FROM " + table, row -> row.getInt(1)))
                    .as(table)
                    .isNotEmpty()
                    .allSatisfy(length -> assertThat(length).isBetween(1, large.length() / 20));
        }
        assertThat(outcomes(settled().get(0)).get(0).answer().text()).isEqualTo(large);
    }
}
