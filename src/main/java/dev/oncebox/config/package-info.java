@NullMarked
package dev.oncebox.config;

import org.jspecify.annotations.NullMarked;
