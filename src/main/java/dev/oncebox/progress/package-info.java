/** How far long work is, for whoever waits for it. */
@NullMarked
package dev.oncebox.progress;

import org.jspecify.annotations.NullMarked;
