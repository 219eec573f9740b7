package dev.oncebox.bench;

/**
 * How a contestant did its calls, from the first request to the last answer as the endpoint saw them; starts, ends and
 * what was written afterwards are not in it.
 *
 * @param seconds between these two
 * @param cpuMillis its time on the processors meanwhile, of user and system
 * @param allocatedMb what it allocated meanwhile; NaN where nobody can say
 */
record Performance(int calls, double seconds, double cpuMillis, double allocatedMb) {

    double callsPerSecond() {
        return calls / seconds;
    }

    double cpuMillisPerThousand() {
        return cpuMillis * 1000 / calls;
    }

    double allocatedKbPerCall() {
        return allocatedMb * 1024 / calls;
    }
}
