/** Whether an answer is one that its job accepts. */
@NullMarked
package dev.oncebox.answer;

import org.jspecify.annotations.NullMarked;
