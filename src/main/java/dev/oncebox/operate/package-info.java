/** What a person on call looks at. */
@NullMarked
package dev.oncebox.operate;

import org.jspecify.annotations.NullMarked;
