package dev.oncebox.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A model endpoint that does next to nothing: one thread, every request gets an answer with a number of its own after
 * the wanted delay. So what is measured is the contestants' cost, and the count is that of whoever is paid.
 *
 * <p>Its first line is its port. It takes commands, a line each: {@code reset MILLIS} forgets the count and sets the
 * delay; {@code count} says {@code ACCEPTED ANSWERED FIRST LAST}, the latter two in epoch milliseconds: of the first
 * request that was there completely and of the last answer. It ends when its input does.
 */
final class Endpoint implements Runnable {

    private static final long NANOS = 1_000_000;

    private record Due(long nanos, Visitor visitor) {}

    private final PriorityQueue<Due> waiting = new PriorityQueue<>(Comparator.comparingLong(Due::nanos));
    private final Selector selector;
    private final ServerSocketChannel server;
    private volatile long delayNanos;
    private volatile long accepted;
    private volatile long answered;
    private volatile long first;
    private volatile long last;

    private Endpoint() throws IOException {
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws IOException {
        var endpoint = new Endpoint();
        var thread = new Thread(endpoint, "endpoint");
        thread.setDaemon(true);
        thread.start();
        System.out.println(endpoint.server.socket().getLocalPort());
        endpoint.obey();
    }

    private void obey() throws IOException {
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            String[] words = command.split(" ");
            if (words[0].equals("reset")) {
                delayNanos = Long.parseLong(words[1]) * NANOS;
                accepted = 0;
                answered = 0;
                first = 0;
                last = 0;
            }
            System.out.println(accepted + " " + answered + " " + first + " " + last);
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                selector.select(this::serve, untilDueMillis());
                answerDue();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Zero would be for ever, so what is due soon is looked for again after a millisecond. */
    private long untilDueMillis() {
        Due next = waiting.peek();
        return next == null ? 0 : Math.max(1, (next.nanos() - System.nanoTime()) / NANOS);
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                SocketChannel channel = server.accept();
                channel.configureBlocking(false);
                channel.socket().setTcpNoDelay(true);
                channel.register(selector, SelectionKey.OP_READ, new Visitor(channel));
                return;
            }
            var visitor = (Visitor) key.attachment();
            if (visitor.read()) {
                requested(visitor);
            }
        } catch (IOException gone) {
            key.cancel();
            close(key);
        }
    }

    private void requested(Visitor visitor) throws IOException {
        if (accepted == 0) {
            first = System.currentTimeMillis();
        }
        accepted++;
        if (delayNanos == 0) {
            answer(visitor);
        } else {
            waiting.add(new Due(System.nanoTime() + delayNanos, visitor));
        }
    }

    private void answerDue() {
        for (Due due = waiting.peek(); due != null && due.nanos() <= System.nanoTime(); due = waiting.peek()) {
            waiting.remove();
            try {
                answer(due.visitor());
            } catch (IOException gone) {
                // the contestant was killed in the meantime, as some are
            }
        }
    }

    private void answer(Visitor visitor) throws IOException {
        answered++;
        last = System.currentTimeMillis();
        visitor.answer(answered);
    }

    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            // it is gone already
        }
    }
}
