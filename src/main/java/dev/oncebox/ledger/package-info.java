@NullMarked
package dev.oncebox.ledger;

import org.jspecify.annotations.NullMarked;
