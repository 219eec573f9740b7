package dev.oncebox.proof;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A line through a process that stops passing bytes on; what is sent meanwhile is taken all the same. */
final class Proxy implements Line {

    private final ServerSocket entrance;
    private final int to;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "line");
        thread.setDaemon(true);
        return thread;
    });
    private boolean cut;

    Proxy(int to) throws IOException {
        this.to = to;
        this.entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    @Override
    public String address() {
        return "localhost:" + entrance.getLocalPort();
    }

    @Override
    public String means() {
        return "a proxy";
    }

    @Override
    public synchronized void cut() {
        cut = true;
    }

    @Override
    public synchronized void mend() {
        cut = false;
        notifyAll();
    }

    private synchronized void awaitMended() throws InterruptedException {
        while (cut) {
            wait();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket from = entrance.accept();
                threads.execute(() -> connect(from));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void connect(Socket from) {
        try {
            awaitMended();
            Socket target = new Socket(InetAddress.getLoopbackAddress(), to);
            target.setTcpNoDelay(true);
            from.setTcpNoDelay(true);
            threads.execute(() -> pass(from, target));
            pass(target, from);
        } catch (IOException e) {
            close(from);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                awaitMended();
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // one end is gone, so the other goes
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        mend();
        threads.shutdownNow();
    }
}
