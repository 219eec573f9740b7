/** The benchmark: Oncebox and three other ways to ask an endpoint, each in its own process, on one machine, in one run. */
@org.jspecify.annotations.NullMarked
package dev.oncebox.bench;
