@NullMarked
package dev.oncebox.intake;

import org.jspecify.annotations.NullMarked;
