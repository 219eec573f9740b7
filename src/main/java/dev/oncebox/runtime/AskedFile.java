package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Settings;
import dev.oncebox.files.FileName;
import dev.oncebox.intake.InboxFiles;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that is asked for, and what it is to the ledger.
 *
 * @param file absolute; where the asker says that it is
 * @param path below the inbox, with {@code /} between the names: where it lies, or where it might have been dropped
 * @param moved where a runtime that took it from the inbox may have put it; empty for a file elsewhere
 */
public record AskedFile(Path file, String path, Job job, List<Path> moved) {

    /**
     * @param jobName null: the default job, or the one in whose folder of the inbox the file lies
     * @throws ConfigException when there is no such file or job, or the file's name says that it is not whole yet
     */
    public static AskedFile of(Settings settings, Path file, @Nullable String jobName) {
        Path absolute = file.toAbsolutePath().normalize();
        if (absolute.getFileName() == null || !InboxFiles.isWhole(absolute)) {
            throw new ConfigException(absolute + " has the name of a file that is not whole yet. Rename it.");
        }
        String below = below(settings.inbox(), absolute);
        String folder = below == null || below.indexOf('/') < 0 ? Jobs.DEFAULT : below.substring(0, below.indexOf('/'));
        if (below != null && jobName != null && !jobName.equals(folder)) {
            throw new ConfigException(absolute + " lies in the inbox, where it belongs to the job \"" + folder
                    + "\". Leave out --job, or ask for a file elsewhere.");
        }
        Job job = job(settings, jobName == null ? folder : jobName);
        AskedFile asked = below == null
                ? new AskedFile(absolute, job.name() + "/" + absolute.getFileName(), job, List.of())
                : new AskedFile(
                        absolute,
                        below,
                        job,
                        List.of(
                                settings.home().archive().resolve(below),
                                settings.home().rejected().resolve(below)));
        Path place = asked.place();
        if (!Files.exists(place)) {
            throw new ConfigException("There is no file " + absolute + ".");
        }
        if (!Files.isRegularFile(place) || !Files.isReadable(place)) {
            throw new ConfigException(place + " is no file that can be read.");
        }
        return asked;
    }

    /** Whether it lies, or lay, in the inbox, so that a runtime takes and archives it. */
    public boolean inInbox() {
        return !moved.isEmpty();
    }

    /** Where it is now. One that was taken from the inbox is found where the runtime put it. */
    public Path place() {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            for (Path other : moved) {
                FileName name = FileName.of(other.getFileName().toString());
                Path last = null;
                // of several that had its name the last one is meant
                for (int n = 1; ; n++) {
                    Path numbered = other.resolveSibling(name.numbered(n, name.extension()));
                    if (!Files.isRegularFile(numbered, LinkOption.NOFOLLOW_LINKS)) {
                        break;
                    }
                    last = numbered;
                }
                if (last != null) {
                    return last;
                }
            }
        }
        return file;
    }

    private static Job job(Settings settings, String name) {
        return settings.jobs()
                .find(name)
                .orElseThrow(() -> new ConfigException("There is no job \"" + name + "\". There are: "
                        + String.join(
                                ", ",
                                settings.jobs().all().stream().map(Job::name).toList())
                        + "."));
    }

    /** The path below the inbox, however the way there was written; null: it lies elsewhere. */
    private static @Nullable String below(Path inbox, Path file) {
        try {
            if (!Files.isDirectory(inbox)) {
                return null;
            }
            Path parent = file.getParent();
            if (parent == null || !Files.isDirectory(parent)) {
                return null;
            }
            Path folder = parent.toRealPath();
            Path real = folder.resolve(file.getFileName());
            Path root = inbox.toRealPath();
            return real.startsWith(root) ? root.relativize(real).toString().replace(File.separatorChar, '/') : null;
        } catch (IOException e) {
            throw new ConfigException(file + " cannot be read: " + e + ".");
        }
    }
}
