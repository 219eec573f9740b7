package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.Home;
import dev.oncebox.config.LedgerUrl;
import dev.oncebox.config.Problems;
import dev.oncebox.config.Settings;
import dev.oncebox.files.DurableFile;
import dev.oncebox.job.Job;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must hold of the machine and the folders before anything is read or sent. */
final class Preflight {

    private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

    private static final Set<String> NETWORK =
            Set.of("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs");

    /** What Camel's file component reads as something else than a part of a path; escapes it even follows in silence. */
    private static final Pattern MISREAD = Pattern.compile("\\?|%[0-9A-Fa-f]{2}|\\{\\{|\\$\\{|\\$simple\\{");

    private Preflight() {}

    /**
     * Checks everything and makes missing folders.
     *
     * @throws ConfigException with all that is wrong
     */
    static void check(Settings settings) {
        var problems = new Problems();
        problems.of(() -> checkLocale(System.getProperty("sun.jnu.encoding", "UTF-8")));
        problems.of(() -> checkReadable(settings.inbox()));
        Map<String, Path> folders = folders(settings);
        problems.of(() -> checkApart(folders));
        problems.raise();
        folders.values().forEach(folder -> problems.of(() -> make(folder)));
        problems.raise();
        problems.of(() -> checkApart(resolved(folders)));
        problems.of(() -> checkFileSystem(folders));
        problems.raise();
        closeToOthers(settings.home().data(), "rwx------");
        if (settings.ledger() instanceof LedgerUrl.SqliteFile sqlite) {
            problems.of(() -> checkLedgerFileSystem(sqlite.file()));
            closeToOthers(sqlite.file(), "rw-------");
        }
        for (Job job : settings.jobs().all()) {
            problems.of(() -> make(settings.inbox().resolve(job.name())));
        }
        problems.raise();
    }

    private static Map<String, Path> folders(Settings settings) {
        Home home = settings.home();
        Map<String, Path> folders = new LinkedHashMap<>();
        folders.put("the inbox", settings.inbox());
        folders.put("the outbox", settings.outbox());
        folders.put("the archive", home.archive());
        folders.put("the folder of rejected files", home.rejected());
        folders.put("the data folder", home.data());
        return folders;
    }

    static void checkLocale(String encoding) {
        if (!Charset.forName(encoding).equals(StandardCharsets.UTF_8)) {
            throw new ConfigException("File names cannot be read in this locale (encoding " + encoding
                    + "). Start Oncebox with bin/oncebox, or set LC_ALL=C.UTF-8.");
        }
    }

    static void checkReadable(Path inbox) {
        Matcher misread = MISREAD.matcher(inbox.toString());
        if (misread.find()) {
            throw new ConfigException(
                    "The inbox " + inbox + " has \"" + misread.group() + "\" in its path, which would be"
                            + " misread. Rename the folder, or set inbox.dir to another one.");
        }
    }

    /** Equal or nested folders would feed answers back in as questions. */
    static void checkApart(Map<String, Path> folders) {
        folders.forEach((name, folder) -> folders.forEach((otherName, other) -> {
            if (!name.equals(otherName) && folder.startsWith(other)) {
                throw new ConfigException(Character.toUpperCase(name.charAt(0)) + name.substring(1) + " (" + folder
                        + ") lies in " + otherName + " (" + other
                        + "). Set inbox.dir and outbox.dir to folders that are apart.");
            }
        }));
    }

    private static Map<String, Path> resolved(Map<String, Path> folders) {
        Map<String, Path> real = new LinkedHashMap<>();
        folders.forEach((name, folder) -> {
            try {
                real.put(name, folder.toRealPath());
            } catch (IOException e) {
                throw new ConfigException(folder + " cannot be used: " + e);
            }
        });
        return real;
    }

    private static void make(Path folder) {
        try {
            DurableFile.createFolders(folder);
        } catch (IOException e) {
            throw new ConfigException("The folder " + folder + " cannot be made: " + e + ". Check its rights.");
        }
        if (!Files.isWritable(folder) || !Files.isReadable(folder)) {
            throw new ConfigException("The folder " + folder + " cannot be read and written. Check its rights.");
        }
    }

    /** A file moves from one folder to another whole or not at all only within one file system. */
    private static void checkFileSystem(Map<String, Path> folders) {
        Path first = Objects.requireNonNull(folders.get("the inbox"));
        folders.forEach((name, folder) -> {
            try {
                Object device = Files.getAttribute(folder, "unix:dev");
                if (!device.equals(Files.getAttribute(first, "unix:dev")) && !name.equals("the data folder")) {
                    throw new ConfigException(Character.toUpperCase(name.charAt(0)) + name.substring(1) + " (" + folder
                            + ") and the inbox (" + first + ") are on different file systems, so that a file could be"
                            + " lost halfway between them. Put them on one.");
                }
            } catch (IOException e) {
                throw new ConfigException(folder + " cannot be used: " + e);
            }
        });
    }

    private static void checkLedgerFileSystem(Path ledger) {
        Path folder = Objects.requireNonNull(ledger.toAbsolutePath().getParent());
        make(folder);
        try {
            FileStore store = Files.getFileStore(folder);
            if (NETWORK.contains(store.type().toLowerCase(Locale.ROOT))) {
                throw new ConfigException("The ledger " + ledger + " is on a network file system (" + store.type()
                        + "), where its locks do not hold. Set ledger.url to a file on a local disk.");
            }
        } catch (IOException e) {
            throw new ConfigException(folder + " cannot be used: " + e);
        }
    }

    /** What was asked and answered, and the page's token, are nobody else's business. */
    private static void closeToOthers(Path path, String rights) {
        try {
            if (Files.exists(path)
                    && Files.getPosixFilePermissions(path).stream()
                            .anyMatch(right -> !right.name().startsWith("OWNER"))) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
            }
        } catch (IOException e) {
            LOG.warn("{} can be read by others, and that cannot be changed: {}", path, e.toString());
        }
    }
}
