@NullMarked
package dev.oncebox.files;

import org.jspecify.annotations.NullMarked;
