package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Settings;
import dev.oncebox.intake.InboxFiles;
import dev.oncebox.job.Job;
import dev.oncebox.job.Jobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file that is asked for, and what it is to the ledger.
 *
 * @param file absolute
 * @param path below the inbox, with {@code /} between the names: where it lies, or where it might have been dropped
 * @param inInbox whether it lies in the inbox, so that a runtime takes and archives it
 */
public record AskedFile(Path file, String path, Job job, boolean inInbox) {

    /**
     * @param jobName null: the default job, or the one in whose folder of the inbox the file lies
     * @throws ConfigException when there is no such file or job, or the file's name says that it is not whole yet
     */
    public static AskedFile of(Settings settings, Path file, @Nullable String jobName) {
        Path absolute = file.toAbsolutePath().normalize();
        if (!Files.exists(absolute)) {
            throw new ConfigException("There is no file " + absolute + ".");
        }
        if (!Files.isRegularFile(absolute) || !Files.isReadable(absolute)) {
            throw new ConfigException(absolute + " is no file that can be read.");
        }
        if (!InboxFiles.isWhole(absolute)) {
            throw new ConfigException(absolute + " has the name of a file that is not whole yet. Rename it.");
        }
        String below = below(settings.inbox(), absolute);
        if (below == null) {
            String wanted = jobName == null ? Jobs.DEFAULT : jobName;
            return new AskedFile(absolute, wanted + "/" + absolute.getFileName(), job(settings, wanted), false);
        }
        int slash = below.indexOf('/');
        String folder = slash < 0 ? Jobs.DEFAULT : below.substring(0, slash);
        if (jobName != null && !jobName.equals(folder)) {
            throw new ConfigException(absolute + " lies in the inbox, where it belongs to the job \"" + folder
                    + "\". Leave out --job, or ask for a file elsewhere.");
        }
        return new AskedFile(absolute, below, job(settings, folder), true);
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
            Path folder = file.getParent() == null ? file : file.getParent().toRealPath();
            Path real = folder.resolve(file.getFileName());
            Path root = inbox.toRealPath();
            return real.startsWith(root) ? root.relativize(real).toString() : null;
        } catch (IOException e) {
            throw new ConfigException(file + " cannot be read: " + e + ".");
        }
    }
}
