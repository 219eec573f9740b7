@NullMarked
package dev.oncebox.job;

import org.jspecify.annotations.NullMarked;
