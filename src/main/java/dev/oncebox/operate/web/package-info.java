/** The page for people, its API, health and metrics, over HTTP. */
@NullMarked
package dev.oncebox.operate.web;

import org.jspecify.annotations.NullMarked;
