package dev.oncebox.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What all contestants share: the endpoint in its process, a folder to work in, the Java that runs them. */
final class Lab implements AutoCloseable {

    private static final Duration SHARING = Duration.ofMinutes(1);

    private final Path folder;
    private final Path dist;
    private final Process endpoint;
    private final BufferedReader said;
    private final int port;
    private int folders;

    /**
     * @param folder where it works; on a real disk, as everybody flushes
     * @param dist the packaged distribution
     */
    Lab(Path folder, Path dist) throws IOException {
        this.folder = Files.createDirectories(folder).toRealPath();
        this.dist = dist.toRealPath();
        this.endpoint = new ProcessBuilder(java(Endpoint.class, List.of()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.said = new BufferedReader(new InputStreamReader(endpoint.getInputStream(), StandardCharsets.US_ASCII));
        this.port = Integer.parseInt(said.readLine());
    }

    /** A command that runs a class of the benchmark in a process of its own. */
    List<String> java(Class<?> main, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-Dlog4j2.configurationFile=" + dist.resolve("config/log4j2.properties"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** What is done once after unpacking. */
    void shareClasses() throws IOException, InterruptedException {
        Path log = newFolder("share").resolve("log");
        List<String> command = List.of(dist.resolve("bin/share-classes").toString());
        try (Watched process = Watched.start(command, Map.of("JAVA_HOME", System.getProperty("java.home")), log)) {
            process.finish(SHARING);
        }
    }

    Path dist() {
        return dist;
    }

    int port() {
        return port;
    }

    /** A new, empty folder. */
    Path newFolder(String name) throws IOException {
        return Files.createDirectories(folder.resolve(++folders + "-" + name));
    }

    /** Forgets what was counted; answers come after the delay from now on. */
    void reset(long delayMillis) throws IOException {
        tell("reset " + delayMillis);
    }

    Served served() throws IOException {
        String[] numbers = tell("count").split(" ");
        return new Served(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]));
    }

    /** The endpoint's own time on the processors, in milliseconds. */
    double endpointCpu() {
        return endpoint.info()
                .totalCpuDuration()
                .map(time -> (double) time.toMillis())
                .orElse(Double.NaN);
    }

    private synchronized String tell(String command) throws IOException {
        OutputStream out = endpoint.getOutputStream();
        out.write((command + "\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return Optional.ofNullable(said.readLine()).orElseThrow(() -> new IOException("The endpoint has ended"));
    }

    /** Deletes a folder with all that is in it, as ledgers of a million calls are large. */
    static void delete(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> found = Files.walk(folder)) {
            paths = new ArrayList<>(found.toList());
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            Files.delete(paths.get(i));
        }
    }

    @Override
    public void close() throws IOException {
        endpoint.destroy();
        delete(folder);
    }
}
