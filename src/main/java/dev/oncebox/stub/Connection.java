package dev.oncebox.stub;

import dev.oncebox.stub.Step.Delivery;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Serves one client's connection, request after request, until one of the two has enough. */
final class Connection implements Runnable {

    private static final int LINGER_MILLIS = 2_000;

    private final Socket socket;
    private final Router router;
    private final CountDownLatch released;
    private final CountDownLatch closing;

    Connection(Socket socket, Router router, CountDownLatch released, CountDownLatch closing) {
        this.socket = socket;
        this.router = router;
        this.released = released;
        this.closing = closing;
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            RequestReader requests = new RequestReader(socket.getInputStream(), out);
            try {
                serve(requests, out);
            } catch (BadRequest e) {
                refuse(e, requests, out);
            }
        } catch (IOException | InterruptedException e) {
            // the client left, or the stub is closing: the log has it, and there is nobody to tell
        }
    }

    private void serve(RequestReader requests, OutputStream out) throws IOException, BadRequest, InterruptedException {
        boolean open = true;
        while (open) {
            Optional<Request> request = requests.next();
            if (request.isEmpty()) {
                return;
            }
            boolean last = !request.get().keepAlive();
            Exchange exchange = router.exchange(request.get());
            pause(exchange.delay());
            open = deliver(exchange, last, requests, out) && !last;
        }
    }

    /** Whether the connection can go on. */
    private boolean deliver(Exchange exchange, boolean last, RequestReader requests, OutputStream out)
            throws IOException, InterruptedException {
        Reply reply = exchange.reply();
        Delivery delivery = exchange.delivery();
        Tally.Entry entry = exchange.entry();
        if (delivery == Delivery.WHOLE) {
            if (entry == null) {
                out.write(join(reply.head(last), reply.body(), reply.body().length));
            } else {
                whole(exchange, entry, last, out);
            }
            return true;
        }
        if (entry != null) {
            entry.ended(delivery.word());
        }
        switch (delivery) {
            case CUT, RESET_MID -> send(exchange, last, reply.body().length / 2, out);
            case HANG -> requests.awaitEnd();
            case RESET, CLOSE, WHOLE -> {}
        }
        if (delivery == Delivery.RESET || delivery == Delivery.RESET_MID) {
            socket.setSoLinger(true, 0);
        }
        return false;
    }

    private void whole(Exchange exchange, Tally.Entry entry, boolean last, OutputStream out)
            throws IOException, InterruptedException {
        byte[] body = exchange.reply().body();
        int before = exchange.pause().isZero() || body.length == 0 ? 0 : body.length - 1;
        if (before > 0) {
            try {
                send(exchange, last, before, out);
                pause(exchange.pause());
            } catch (IOException e) {
                entry.ended("gone");
                throw e;
            }
        }
        entry.answered(exchange.reply().status());
        try {
            if (before > 0) {
                out.write(body, before, 1);
            } else {
                out.write(join(exchange.reply().head(last), body, body.length));
            }
        } catch (IOException e) {
            entry.notAnswered();
            throw e;
        }
    }

    private void send(Exchange exchange, boolean last, int size, OutputStream out)
            throws IOException, InterruptedException {
        byte[] head = exchange.reply().head(last);
        byte[] body = exchange.reply().body();
        if (exchange.pause().isZero()) {
            out.write(join(head, body, size));
            return;
        }
        out.write(head);
        for (int i = 0; i < size; i++) {
            pause(exchange.pause());
            out.write(body, i, 1);
        }
    }

    private void pause(Duration time) throws IOException, InterruptedException {
        if (!time.isZero() && released.await(time.toNanos(), TimeUnit.NANOSECONDS) && closing.getCount() == 0) {
            throw new IOException("The stub is closing");
        }
    }

    /** Says why and closes, taking in for a moment what the client still sends: else it would see a reset instead. */
    private void refuse(BadRequest reason, RequestReader requests, OutputStream out) throws IOException {
        Reply reply = Reply.error(reason.status(), null, reason.sentence());
        out.write(join(reply.head(true), reply.body(), reply.body().length));
        socket.shutdownOutput();
        socket.setSoTimeout(LINGER_MILLIS);
        requests.awaitEnd();
    }

    private static byte[] join(byte[] head, byte[] body, int size) {
        byte[] bytes = new byte[head.length + size];
        System.arraycopy(head, 0, bytes, 0, head.length);
        System.arraycopy(body, 0, bytes, head.length, size);
        return bytes;
    }
}
