package dev.oncebox.outbox;

import dev.oncebox.files.DurableFile;
import dev.oncebox.ledger.Ledger;
import dev.oncebox.ledger.QueuedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Files such as {@code b.md.url} that show where an asynchronous engine is asked for the answer to {@code b.md}, from
 * when it is accepted until the answer lands.
 *
 * <p>The ledger knows the name before the file is written, and takes none of a call that has its end, so that whatever was
 * written is removed, whenever the process ends.
 */
final class AddressFiles {

    private final Ledger ledger;
    private final OutboxRoot root;

    AddressFiles(Ledger ledger, OutboxRoot root) {
        this.ledger = ledger;
        this.root = root;
    }

    void write(QueuedFile file) throws IOException {
        OutputNames names = OutputNames.of(file.path());
        Path folder = root.folder(file.path(), names);
        byte[] content = (file.address() + "\n").getBytes(StandardCharsets.UTF_8);
        if (file.sidecar() != null) {
            removeIfOther(root.named(file.sidecar()), content);
        }
        try (DurableFile sidecar = DurableFile.create(folder, names.inGroup(1, names.address()))) {
            sidecar.out().write(content);
            String name = name(names, folder, sidecar, file);
            if (!ledger.placed(file, names.folder() + name)) {
                return;
            }
            if (!sidecar.publish(folder.resolve(name))) {
                throw new FileAlreadyExistsException(folder.resolve(name).toString(), null, "appeared meanwhile");
            }
        }
        ledger.addressed(file);
    }

    /** Beside where the answer will be, as far as that can be told now. */
    private static String name(OutputNames names, Path folder, DurableFile sidecar, QueuedFile file)
            throws IOException {
        for (int n = 1; ; n++) {
            String name = names.inGroup(n, names.address());
            boolean own = (names.folder() + name).equals(file.sidecar());
            if (own
                    || (isFree(folder.resolve(names.inGroup(n, names.answer())))
                            && sidecar.canBecome(folder.resolve(name)))) {
                return name;
            }
        }
    }

    private static boolean isFree(Path path) {
        return !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** A call that was submitted again has another address. */
    private static void removeIfOther(Path file, byte[] content) throws IOException {
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && !java.util.Arrays.equals(Files.readAllBytes(file), content)) {
            DurableFile.delete(file);
        }
    }

    /** @param name of such a file, below the outbox */
    void remove(String name) throws IOException {
        DurableFile.delete(root.named(name));
    }
}
