@NullMarked
package dev.oncebox.ledger.sql;

import org.jspecify.annotations.NullMarked;
