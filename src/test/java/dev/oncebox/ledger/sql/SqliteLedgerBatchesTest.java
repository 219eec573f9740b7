package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerBatchesTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class SqliteLedgerBatchesTest extends LedgerBatchesTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return SqliteStorage.in(folder);
    }
}
