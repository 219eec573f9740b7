/** The counting model endpoint for tests and trials: it answers, it counts, and it misbehaves when asked to. */
@NullMarked
package dev.oncebox.stub;

import org.jspecify.annotations.NullMarked;
