package dev.oncebox.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A line to a server that is some way off: bytes arrive after a delay, in each direction, and any number of them are on
 * their way at once.
 */
final class Distance implements AutoCloseable {

    private static final int BUFFER = 1 << 16;

    private final ServerSocket entrance;
    private final int server;
    private final long nanos;

    /** @param oneWay how long a byte takes to the server, and one back */
    Distance(int server, Duration oneWay) throws IOException {
        this.server = server;
        this.nanos = oneWay.toNanos();
        this.entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Socket target = new Socket(InetAddress.getLoopbackAddress(), server);
                client.setTcpNoDelay(true);
                target.setTcpNoDelay(true);
                pass(client, target);
                pass(target, client);
            }
        } catch (IOException e) {
            // closed
        }
    }

    /**
     * Bytes on their way.
     *
     * @param due by {@link System#nanoTime}
     * @param bytes none: the end
     */
    private record Sent(long due, byte[] bytes) {}

    private void pass(Socket from, Socket to) {
        BlockingQueue<Sent> line = new LinkedBlockingQueue<>();
        start(() -> read(from, line));
        start(() -> write(line, to));
    }

    private void read(Socket from, BlockingQueue<Sent> line) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                line.add(new Sent(System.nanoTime() + nanos, Arrays.copyOf(buffer, length)));
            }
        } catch (IOException e) {
            // the end, as below
        }
        line.add(new Sent(System.nanoTime() + nanos, new byte[0]));
    }

    private static void write(BlockingQueue<Sent> line, Socket to) {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Sent sent = line.take(); sent.bytes().length > 0; sent = line.take()) {
                awaitDue(sent);
                out.write(sent.bytes());
            }
        } catch (IOException e) {
            // one end is gone, so the other goes
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** To within a tenth of a millisecond or so; a sleep of Java 17 lasts whole ones. */
    private static void awaitDue(Sent sent) {
        for (long left = sent.due() - System.nanoTime(); left > 0; left = sent.due() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void start(Runnable task) {
        var thread = new Thread(task, "distance");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }
}
