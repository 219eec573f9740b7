package dev.oncebox.intake;

import dev.oncebox.files.DurableMove;
import dev.oncebox.files.FileName;
import dev.oncebox.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the ledger knows as not archived and is in the inbox no more: an earlier process, or another node, left it so. */
final class LeftInbox {

    private static final Logger LOG = LoggerFactory.getLogger(LeftInbox.class);

    private final Ledger ledger;
    private final Intake.Folders folders;
    private final FilesInProgress inProgress;

    LeftInbox(Ledger ledger, Intake.Folders folders, FilesInProgress inProgress) {
        this.ledger = ledger;
        this.folders = folders;
        this.inProgress = inProgress;
    }

    /** Lets it go its way with what is recorded, unless it is being taken at this moment. */
    void settle() throws IOException {
        for (Ledger.UnarchivedFile file : ledger.unarchived()) {
            String place = folders.inbox().resolve(file.path()).toString();
            if (!isInInbox(file) && inProgress.add(place)) {
                try {
                    settle(file);
                } finally {
                    inProgress.remove(place);
                }
            }
        }
    }

    private boolean isInInbox(Ledger.UnarchivedFile file) {
        return Files.exists(folders.inbox().resolve(file.path()), LinkOption.NOFOLLOW_LINKS);
    }

    /** Looks once more when nobody else has it: it may have been taken meanwhile, or have come again. */
    private void settle(Ledger.UnarchivedFile file) throws IOException {
        if (!ledger.reserve(file.path())) {
            return;
        }
        try {
            if (!isInInbox(file)
                    && ledger.unarchived().stream()
                            .anyMatch(now -> now.id() == file.id() && now.taking() == file.taking())) {
                leftTheInbox(file);
            }
        } finally {
            ledger.release(file.path());
        }
    }

    private void leftTheInbox(Ledger.UnarchivedFile file) throws IOException {
        if (file.taking()) {
            LOG.atWarn()
                    .addKeyValue("file", file.path())
                    .log("{} left the inbox while it was being read; what was read of it is answered", file.path());
        } else {
            takeBackReplacement(file);
        }
        ledger.abandoned(file);
    }

    /**
     * What was put in a file's place after it was read may have been archived instead, by a process that did not come
     * to look at it again. Nobody has read it, so it goes back to the inbox.
     */
    private void takeBackReplacement(Ledger.UnarchivedFile file) throws IOException {
        Path first = folders.archive().resolve(file.path());
        FileName name = FileName.of(first.getFileName().toString());
        Path last = null;
        for (int n = 1; ; n++) {
            Path archived = first.resolveSibling(name.numbered(n, name.extension()));
            if (!Files.isRegularFile(archived, LinkOption.NOFOLLOW_LINKS)) {
                break;
            }
            last = archived;
        }
        if (last != null && !ledger.isKnown(file.path(), FileReading.digest(last))) {
            Path back = folders.inbox().resolve(file.path());
            DurableMove.into(
                    last,
                    Objects.requireNonNull(back.getParent()),
                    back.getFileName().toString());
            LOG.atWarn()
                    .addKeyValue("file", file.path())
                    .log("{} had been replaced after it was read; the new one is taken next", file.path());
        }
    }
}
