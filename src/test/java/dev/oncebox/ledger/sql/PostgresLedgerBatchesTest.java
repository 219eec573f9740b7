package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerBatchesTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerBatchesTest extends LedgerBatchesTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
