package dev.oncebox.intake;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.spi.IdempotentRepository;

/**
 * Which files are being taken, so that the next look at the inbox passes them over. Camel's own keeps every change in a
 * queue, and after a hundred thousand files goes through all of it for each further one.
 */
public final class FilesInProgress implements IdempotentRepository {

    private final Set<String> files = ConcurrentHashMap.newKeySet();

    @Override
    public boolean add(String file) {
        return files.add(file);
    }

    @Override
    public boolean contains(String file) {
        return files.contains(file);
    }

    @Override
    public boolean remove(String file) {
        return files.remove(file);
    }

    @Override
    public boolean confirm(String file) {
        return true;
    }

    @Override
    public void clear() {
        files.clear();
    }

    @Override
    public void start() {
        // nothing to prepare
    }

    @Override
    public void stop() {
        files.clear();
    }
}
