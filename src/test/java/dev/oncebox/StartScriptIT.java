package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oncebox.ShellCommand.Result;
import dev.oncebox.stub.Stub;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/oncebox} as it is called by people, service managers and cron. */
class StartScriptIT {

    private static final Path DIST = Path.of(System.getProperty("oncebox.dist"));
    private static final String SCRIPT = DIST + "/bin/oncebox";

    /** The UTF-8 bytes of "naïve-日本.md", whatever the locale of these tests. */
    private static final String NAME = "$(printf 'na\\303\\257ve-\\346\\227\\245\\346\\234\\254.md')";

    @TempDir
    private Path folder;

    @Test
    void it_says_its_version_from_any_folder_and_through_links() throws IOException {
        Path links = Files.createDirectories(folder.resolve("a folder/bin"));
        Files.createSymbolicLink(links.resolve("absolute"), DIST.resolve("bin/oncebox"));
        Files.createSymbolicLink(
                links.resolve("relative"),
                links.toRealPath().relativize(Path.of(SCRIPT).toRealPath()));
        Files.createSymbolicLink(links.resolve("of a link"), Path.of("relative"));

        for (String script : new String[] {SCRIPT, "./absolute", "./relative", "./of a link"}) {
            Result result = ShellCommand.of(script, "--version").in(links).run();
            assertThat(result.out()).as(script + result.err()).matches("oncebox \\d+\\.\\d+\\.\\d+\\S*\n");
            assertThat(result.exit()).isZero();
        }
    }

    @Test
    void every_command_has_help() {
        Result all = ShellCommand.of(SCRIPT, "--help").run();
        assertThat(all.exit()).isZero();
        assertThat(all.out()).startsWith("Usage: oncebox ");
        List<String> commands = all.out()
                .substring(all.out().indexOf("Commands:\n"))
                .lines()
                .filter(line -> line.matches("  \\w+ .*"))
                .map(line -> line.strip().split(" ")[0])
                .toList();
        assertThat(commands).contains("run", "status", "journal", "check", "stub", "demo");
        for (String command : commands) {
            Result one = ShellCommand.of(SCRIPT, command, "--help").run();
            assertThat(one.exit()).as(command).isZero();
            assertThat(one.out()).startsWith("Usage: oncebox " + command);
            assertThat(one.err()).isEmpty();
        }
    }

    @Test
    void wrong_usage_is_two_with_a_hint() {
        assertThat(ShellCommand.of(SCRIPT, "rnu").run())
                .satisfies(result -> assertThat(result.exit()).isEqualTo(2))
                .satisfies(result -> assertThat(result.err()).contains("rnu"));
        assertThat(ShellCommand.of(SCRIPT).run().exit()).isEqualTo(2);
        assertThat(ShellCommand.of(SCRIPT, "run", "--untill-idle").run().exit()).isEqualTo(2);
    }

    @Test
    void java_options_are_taken_and_a_missing_java_is_told() {
        Result options = ShellCommand.of(SCRIPT, "--version")
                .with("JAVA_OPTS", "-XX:+PrintFlagsFinal -Xmx64m")
                .run();
        assertThat(options.out()).containsPattern("MaxHeapSize +=\\s+67108864 ");

        Result missing = ShellCommand.of(SCRIPT, "--version")
                .with("JAVA_HOME", folder + "/none")
                .run();
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("no Java found").contains("JAVA_HOME");
    }

    @Test
    void file_names_are_utf8_whatever_the_callers_locale() throws IOException {
        try (Stub stub = Stub.start(Stub.Options.defaults())) {
            var home = new TestHome(folder.resolve("home"), stub);
            home.drop("plain.md", "Question 1.");
            assertThat(ShellCommand.script("mv plain.md \"" + NAME + "\"")
                            .in(home.path("inbox"))
                            .run()
                            .exit())
                    .isZero();

            Result run = ShellCommand.of(SCRIPT, "run", "--until-idle", "--home", "home")
                    .in(folder)
                    .with("LC_ALL", "C")
                    .run();

            assertThat(run.exit()).as(run.out() + run.err()).isZero();
            Result names = ShellCommand.script("cat \"outbox/" + NAME + "\"; test -f \"archive/" + NAME + "\"")
                    .in(home.root())
                    .run();
            assertThat(names.exit()).as(names.err()).isZero();
            assertThat(names.out()).isEqualTo("[call 1] Question 1.");
        }
    }

    @Test
    void a_copy_in_a_folder_with_a_space_uses_the_jars_in_lib_ext() throws IOException {
        Path copy = folder.resolve("my oncebox");
        assertThat(ShellCommand.of("cp", "-r", DIST.toString(), copy.toString())
                        .run()
                        .exit())
                .isZero();
        Path routes = copy.resolve("routes/shout.camel.yaml");
        Files.writeString(routes, """
                - route:
                    id: shout
                    description: "a route of an integrator, with a class of theirs"
                    from:
                      uri: direct
                      parameters:
                        name: shout
                      steps:
                        - bean:
                            beanType: ext.Shout
                            method: shout
                """);
        String script = copy + "/bin/oncebox";
        String home = folder.resolve("home of it").toString();
        assertThat(ShellCommand.of(script, "check", "--offline", "--home", home).run())
                .satisfies(result -> assertThat(result.exit()).isEqualTo(2))
                .satisfies(result -> assertThat(result.err()).contains("ext.Shout"));

        makeJar(copy.resolve("lib/ext/shout.jar"));
        Result check =
                ShellCommand.of(script, "check", "--offline", "--home", home).run();

        assertThat(check.exit()).as(check.out() + check.err()).isZero();
        assertThat(check.out()).startsWith("All is well");
    }

    @Test
    void archived_classes_are_taken_where_they_fit() throws IOException {
        Path copy = folder.resolve("shared");
        ShellCommand.of("cp", "-rp", DIST.toString(), copy.toString()).run();
        ShellCommand.script("rm -f lib/classes-*").in(copy).run();
        assertThat(sharedClasses(copy)).isZero();
        Result made = ShellCommand.of(copy + "/bin/share-classes").run();
        assertThat(made.exit()).as(made.err()).isZero();
        Path archive = Path.of(made.out().strip());
        assertThat(rest(copy.resolve("lib"))).containsExactly(archive);
        assertThat(sharedClasses(copy)).isPositive();

        assertThat(archive.toFile().setWritable(true)).isTrue();
        Files.writeString(archive, "no archive");
        assertThat(sharedClasses(copy)).isZero();

        Path moved = Files.move(copy, folder.resolve("moved"));
        assertThat(sharedClasses(moved)).isZero();
        Result again = ShellCommand.of(moved + "/bin/share-classes").run();
        assertThat(again.exit()).as(again.err()).isZero();
        assertThat(sharedClasses(moved)).isPositive();
    }

    /** What archiving left in a folder. */
    private static List<Path> rest(Path lib) throws IOException {
        try (Stream<Path> files = Files.list(lib)) {
            return files.filter(file -> file.getFileName().toString().contains("classes-"))
                    .toList();
        }
    }

    private long sharedClasses(Path dist) throws IOException {
        Path loaded = folder.resolve("loaded.txt");
        Result result = ShellCommand.of(dist + "/bin/oncebox", "--version")
                .with("JAVA_OPTS", "-Xlog:class+load:file=" + loaded.getFileName())
                .in(folder)
                .run();
        assertThat(result.out()).startsWith("oncebox ");
        assertThat(result.err()).isEmpty();
        try (Stream<String> lines = Files.lines(loaded)) {
            return lines.filter(line -> line.contains("dev.oncebox.") && line.contains("shared objects file"))
                    .count();
        }
    }

    private void makeJar(Path jar) throws IOException {
        Path source = folder.resolve("Shout.java");
        Files.writeString(
                source,
                "package ext; public class Shout { public String shout(String s) { return s.toUpperCase(); } }");
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, new ByteArrayOutputStream(), null, "-d", folder.toString(), source.toString());
        assertThat(failed).isZero();
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            out.putNextEntry(new ZipEntry("ext/Shout.class"));
            Files.copy(folder.resolve("ext/Shout.class"), out);
        }
    }
}
