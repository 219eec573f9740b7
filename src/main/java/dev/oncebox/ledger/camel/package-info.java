@NullMarked
package dev.oncebox.ledger.camel;

import org.jspecify.annotations.NullMarked;
