package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerRecoveryTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerRecoveryTest extends LedgerRecoveryTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
