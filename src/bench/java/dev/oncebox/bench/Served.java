package dev.oncebox.bench;

/**
 * What the endpoint saw.
 *
 * @param accepted requests
 * @param answered answers to them
 * @param first when the first request was there, in epoch milliseconds; 0: none
 * @param last when the last answer was written
 */
record Served(long accepted, long answered, long first, long last) {

    double seconds() {
        return (last - first) / 1000.0;
    }
}
