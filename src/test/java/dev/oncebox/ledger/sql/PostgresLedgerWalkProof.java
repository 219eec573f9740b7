package dev.oncebox.ledger.sql;

import dev.oncebox.ledger.LedgerStorage;
import dev.oncebox.ledger.LedgerWalkTck;
import java.nio.file.Path;

class PostgresLedgerWalkProof extends LedgerWalkTck {

    @Override
    protected LedgerStorage storage(Path folder) {
        return PostgresStorage.emptied();
    }
}
