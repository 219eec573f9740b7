package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Brings what a test needs that is no Java, where root may; without it the test is left out, except by CI. */
public final class Npm {

    private Npm() {}

    /** Packages of npm, with their versions, into a folder. */
    public static void install(Path folder, String... packages) {
        debian("node --version && npm --version", "nodejs npm");
        List<String> words = Stream.concat(Stream.of("npm", "install", "--no-audit", "--no-fund"), Stream.of(packages))
                .toList();
        ShellCommand.Result npm =
                ShellCommand.of(words.toArray(String[]::new)).in(folder).run();
        need(npm.exit() == 0, "Left out: npm could not install " + List.of(packages) + ": " + npm.err());
    }

    /** Packages of Debian, unless a command succeeds that needs them. */
    public static void debian(String probe, String packages) {
        if (!works(probe) && ShellCommand.of("id", "-u").run().out().strip().equals("0")) {
            ShellCommand.script("apt-get update -qq && apt-get install -y -qq --no-install-recommends " + packages)
                    .run();
        }
        need(works(probe), "Left out: there is no " + packages + " here, and it could not be installed");
    }

    private static boolean works(String probe) {
        return ShellCommand.of("sh", "-c", probe).run().exit() == 0;
    }

    static void need(boolean there, String sentence) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as(sentence).isTrue();
        }
        assumeTrue(there, sentence);
    }
}
