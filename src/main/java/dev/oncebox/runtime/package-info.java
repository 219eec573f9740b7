@NullMarked
package dev.oncebox.runtime;

import org.jspecify.annotations.NullMarked;
