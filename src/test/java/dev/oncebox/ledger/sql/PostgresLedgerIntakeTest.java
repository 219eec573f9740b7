package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerIntakeTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerIntakeTest extends LedgerIntakeTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
