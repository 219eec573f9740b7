/** What a run would come to, and cost, before anything is sent. */
@NullMarked
package dev.oncebox.plan;

import org.jspecify.annotations.NullMarked;
