package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerDeliveriesTck;
import dev.oncebox.ledger.LedgerStorage;
import java.nio.file.Path;

class PostgresLedgerDeliveriesTest extends LedgerDeliveriesTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
