package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerEnginesTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerEnginesTest extends LedgerEnginesTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
