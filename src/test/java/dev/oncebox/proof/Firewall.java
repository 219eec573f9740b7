package dev.oncebox.proof;

import dev.oncebox.ShellCommand;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A line at an address of its own, the packets of which the kernel drops in both directions. Takes root and {@code
 * iptables}.
 */
final class Firewall implements Line {

    private static final int WAIT_MILLIS = 1000;

    private final DatabaseServer server;
    private boolean cut;

    Firewall(DatabaseServer server) {
        this.server = server;
    }

    /** Whether a rule can be set, and holds. */
    static boolean isAllowed(DatabaseServer server) {
        if (!System.getProperty("user.name").equals("root")
                || ShellCommand.script("command -v iptables").run().exit() != 0) {
            return false;
        }
        try (var line = new Firewall(server)) {
            line.cut();
            return !line.isOpen();
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    private boolean isOpen() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(DatabaseServer.SECOND_ADDRESS, server.port()), WAIT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String address() {
        return DatabaseServer.SECOND_ADDRESS + ":" + server.port();
    }

    @Override
    public String means() {
        return "the firewall";
    }

    @Override
    public void cut() {
        cut = true;
        rules("-I");
    }

    @Override
    public void mend() {
        if (cut) {
            rules("-D");
            cut = false;
        }
    }

    private void rules(String what) {
        rule(what, "--destination", "--dport");
        rule(what, "--source", "--sport");
    }

    private void rule(String what, String address, String port) {
        List<String> command = new ArrayList<>(List.of("iptables", "-w", what, "INPUT", "-i", "lo", "-p", "tcp"));
        command.addAll(List.of(address, DatabaseServer.SECOND_ADDRESS, port, "" + server.port(), "-j", "DROP"));
        ShellCommand.Result result =
                ShellCommand.of(command.toArray(String[]::new)).run();
        if (result.exit() != 0) {
            throw new IllegalStateException(command + ": " + result.err());
        }
    }

    @Override
    public void close() {
        mend();
    }
}
