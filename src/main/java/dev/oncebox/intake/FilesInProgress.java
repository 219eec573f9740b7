package dev.oncebox.intake;

import java.util.HashSet;
import java.util.Set;
import org.apache.camel.spi.IdempotentRepository;

/**
 * Which files are being taken, so that the next look at the inbox, and a source that hands the same file over, pass them
 * over or wait. Camel's own keeps every change in a queue, and after a hundred thousand files goes through all of it for
 * each further one.
 */
public final class FilesInProgress implements IdempotentRepository {

    private final Set<String> files = new HashSet<>();

    @Override
    public synchronized boolean add(String file) {
        return files.add(file);
    }

    /** Adds a file as soon as nobody else is taking it. */
    synchronized void await(String file) throws InterruptedException {
        while (!files.add(file)) {
            wait();
        }
    }

    @Override
    public synchronized boolean contains(String file) {
        return files.contains(file);
    }

    /** Whether no file is being taken. */
    public synchronized boolean isEmpty() {
        return files.isEmpty();
    }

    @Override
    public synchronized boolean remove(String file) {
        notifyAll();
        return files.remove(file);
    }

    @Override
    public boolean confirm(String file) {
        return true;
    }

    @Override
    public synchronized void clear() {
        files.clear();
        notifyAll();
    }

    @Override
    public void start() {
        // nothing to prepare
    }

    @Override
    public void stop() {
        clear();
    }
}
