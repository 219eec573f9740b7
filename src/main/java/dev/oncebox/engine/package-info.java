@NullMarked
package dev.oncebox.engine;

import org.jspecify.annotations.NullMarked;
