package dev.oncebox.runtime;

import dev.oncebox.config.ConfigException;
import dev.oncebox.config.HttpSettings;
import dev.oncebox.config.Problems;
import dev.oncebox.config.PropertyFile;
import dev.oncebox.config.Settings;
import dev.oncebox.engine.EngineProbe;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.LedgerException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything that a start needs, and what a new user gets wrong. All of it is looked at, whatever is found. Sends no prompt. */
public final class HomeCheck {

    private static final long MEGABYTE = 1 << 20;
    /** With less, the next batch may not fit: the ledger keeps what is asked and answered. */
    private static final long LEAST_ROOM = 100 * MEGABYTE;

    private final Settings settings;
    private final Problems problems = new Problems();

    /**
     * @param problems to be mended before a start
     * @param hindrance why some of it could not be looked at now, though nothing needs to be mended; null: all was
     */
    public record Findings(List<String> problems, @Nullable String hindrance) {}

    private HomeCheck(Settings settings) {
        this.settings = settings;
    }

    /**
     * @param online whether engines may be asked if they are there
     */
    public static Findings of(Settings settings, boolean online) {
        return new HomeCheck(settings).look(online);
    }

    private Findings look(boolean online) {
        problems.of(() -> Preflight.check(settings));
        boolean placed = problems.all().isEmpty();
        problems.of(this::lookAtInbox);
        problems.of(this::lookAtRoom);
        routes(settings).forEach(problems::add);
        if (online) {
            settings.engines().values().parallelStream()
                    .map(EngineProbe::problem)
                    .flatMap(Optional::stream)
                    .sorted()
                    .toList()
                    .forEach(problems::add);
        }
        String hindrance = placed ? start() : null;
        if (hindrance == null) {
            problems.of(() -> lookAtPort(settings.http()));
        }
        return new Findings(problems.all(), hindrance);
    }

    /** All but the start itself. */
    private @Nullable String start() {
        try (Worker worker = Worker.prepare(settings, null, loss -> {})) {
            return null;
        } catch (ConfigException e) {
            problems.add(String.valueOf(e.getMessage()));
            return null;
        } catch (Worker.BusyException e) {
            return e.getMessage() + " All else is well so far; stop it to check the rest.";
        } catch (LedgerException e) {
            return e.getMessage();
        }
    }

    private static List<String> routes(Settings settings) {
        Set<String> set = settings.properties().entrySet().stream()
                .filter(property -> !property.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        return RouteConventions.complaints(settings.home().routes(), set);
    }

    /** Files in a folder of no job are rejected, every one. */
    private void lookAtInbox() {
        List<String> jobs = settings.jobs().all().stream().map(Job::name).toList();
        try (Stream<Path> children =
                Files.isDirectory(settings.inbox()) ? Files.list(settings.inbox()) : Stream.empty()) {
            children.filter(child -> Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS))
                    .map(child -> child.getFileName().toString())
                    .filter(name -> !name.startsWith(".") && !name.startsWith("~") && !jobs.contains(name))
                    .sorted()
                    .forEach(name -> {
                        String nearest = PropertyFile.nearest(name, jobs, 0.8);
                        problems.add(
                                settings.inbox().resolve(name) + ": there is no job \"" + name + "\", so files in it"
                                        + " are rejected."
                                        + (nearest == null ? "" : " Did you mean " + nearest + "?")
                                        + " Rename the folder, or make config/jobs/" + name + "/.");
                    });
        } catch (IOException e) {
            throw new ConfigException(settings.inbox() + " cannot be listed: " + e + ". Check its rights.");
        }
    }

    private void lookAtRoom() {
        Map<FileStore, Path> stores = new LinkedHashMap<>();
        try {
            for (Path folder : List.of(settings.home().data(), settings.outbox(), settings.inbox())) {
                if (Files.isDirectory(folder)) {
                    stores.putIfAbsent(Files.getFileStore(folder), folder);
                }
            }
            for (Map.Entry<FileStore, Path> store : stores.entrySet()) {
                lookAtRoom(store.getValue(), store.getKey().getUsableSpace());
            }
        } catch (IOException e) {
            throw new ConfigException("How much room is left cannot be told: " + e);
        }
    }

    /**
     * @param left in bytes
     */
    static void lookAtRoom(Path folder, long left) {
        if (left < LEAST_ROOM) {
            throw new ConfigException("The disk of " + folder + " has " + left / MEGABYTE
                    + " MB left, of which a batch may" + " need more. Make room, or put the home on another disk.");
        }
    }

    private static void lookAtPort(HttpSettings http) {
        if (http.port() == null || http.port() == 0) {
            return;
        }
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(http.host()), http.port()));
        } catch (IOException e) {
            throw new ConfigException("http.port: " + http.host() + ":" + http.port() + " cannot be had: "
                    + e.getMessage() + ". Set http.port to another port, or end the program that has it.");
        }
    }
}
