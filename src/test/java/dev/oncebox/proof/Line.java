package dev.oncebox.proof;

import java.io.IOException;

/** The nodes' way to their database, which can be cut: no byte passes and nobody is told. */
interface Line extends AutoCloseable {

    /** By a rule of the machine's firewall, where this process may set one. */
    static Line to(DatabaseServer server) throws IOException {
        return Firewall.isAllowed(server) ? new Firewall(server) : new Proxy(server.port());
    }

    /** Host and port for the nodes, and for nobody else. */
    String address();

    /** What cuts it, in words. */
    String means();

    void cut();

    void mend();

    /** Mends it as well. */
    @Override
    void close() throws IOException;
}
