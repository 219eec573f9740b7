package dev.oncebox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The README's blocks of shell commands, as somebody copies them, in their order. A test types one by its name here. */
public enum Readme {
    TWO_COMMANDS("## Two commands"),
    DEBIAN("## Install"),
    TARBALL("## Install"),
    DOCKER("## Install"),
    FIRST_ANSWER("## From a dropped file to its answer"),
    SUMMARIES("### Jobs by example"),
    CLASSIFICATION("### Jobs by example"),
    TABLE("### Jobs by example"),
    ASK("## From cron and scripts"),
    ASK_OR_ELSE("## From cron and scripts"),
    POSTGRESQL("## Scaling");

    static final Path FILE = Path.of("README.md");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^(##+ [^\\n]*)$|^```sh\\n(.*?)^```$");

    private final String heading;

    Readme(String heading) {
        this.heading = heading;
    }

    /** A block, and what it stands under. */
    record Block(String heading, String commands) {}

    static List<Block> all() {
        try {
            var heading = new String[1];
            return BLOCK.matcher(Files.readString(FILE))
                    .results()
                    .flatMap(found -> {
                        heading[0] = found.group(1) == null ? heading[0] : found.group(1);
                        return found.group(1) == null ? Stream.of(new Block(heading[0], found.group(2))) : Stream.of();
                    })
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String heading() {
        return heading;
    }

    /** The commands, a line each or more, comments and all. */
    public String commands() {
        return all().get(ordinal()).commands();
    }
}
