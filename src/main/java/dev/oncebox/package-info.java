@NullMarked
package dev.oncebox;

import org.jspecify.annotations.NullMarked;
