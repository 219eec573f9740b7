package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerCallsTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerCallsTest extends LedgerCallsTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
