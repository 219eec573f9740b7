@NullMarked
package dev.oncebox.outbox;

import org.jspecify.annotations.NullMarked;
