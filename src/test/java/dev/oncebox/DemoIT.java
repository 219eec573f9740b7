package dev.oncebox;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoIT {

    @TempDir
    private Path folder;

    @Test
    void the_demo_kills_goes_on_and_shows_forty_answers_for_thirty_eight_calls() {
        ShellCommand.Result demo = ShellCommand.of(
                        System.getProperty("oncebox.dist") + "/bin/oncebox", "demo", "--in", folder.toString())
                .run();

        assertThat(demo.exit()).as(demo.out() + demo.err()).isZero();
        assertThat(demo.out()).contains("Killed it (kill -9)", "40 answers", "38 distinct calls");
        assertThat(folder.resolve("outbox/abstracts.jsonl")).isRegularFile();
    }
}
