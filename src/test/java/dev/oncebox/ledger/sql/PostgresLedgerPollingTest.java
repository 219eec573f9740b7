package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerPollingTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerPollingTest extends LedgerPollingTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
