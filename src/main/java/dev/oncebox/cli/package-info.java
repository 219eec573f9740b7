@NullMarked
package dev.oncebox.cli;

import org.jspecify.annotations.NullMarked;
