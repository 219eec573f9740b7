package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Oncebox and what it is compared with. */
final class Contestants {

    private final Lab lab;
    private final Path python;

    /** @param python the folder of the benchmark's Python programs */
    Contestants(Lab lab, Path python) {
        this.lab = lab;
        this.python = python.toAbsolutePath();
    }

    private record Named(String name, Planner planner) implements Contestant {
        @Override
        public Plan plan(Load load, Path folder, List<String> javaOptions) throws IOException {
            return planner.plan(load, folder, javaOptions);
        }
    }

    private interface Planner {
        Contestant.Plan plan(Load load, Path folder, List<String> javaOptions) throws IOException;
    }

    Contestant bareLoop() {
        return new Named("a: bare camel-http loop, no ledger", (load, folder, options) -> {
            Path answers = folder.resolve("answers.jsonl");
            return new Contestant.Plan(lab.java(BareLoop.class, options, arguments(load, answers)), Map.of(), answers);
        });
    }

    Contestant manualWay() {
        return new Named("b: Camel's manual, JdbcMessageIdRepository", (load, folder, options) -> {
            Path answers = folder.resolve("answers");
            String[] arguments = arguments(load, answers, folder.resolve("keys.db"));
            return new Contestant.Plan(lab.java(ManualWay.class, options, arguments), Map.of(), answers);
        });
    }

    /** @param database of an earlier run, to go on with; null: a fresh one */
    Contestant python(int callsPerCommit, @Nullable Path database) {
        return new Named("c: sequential worker in Python, commit per call", (load, folder, options) -> {
            Path answers = folder.resolve("answers.jsonl");
            return new Contestant.Plan(
                    List.of(
                            "python3",
                            python.resolve("worker.py").toString(),
                            "" + lab.port(),
                            load.prompts().toString(),
                            answers.toString(),
                            (database == null ? folder.resolve("worker.db") : database).toString(),
                            "" + callsPerCommit),
                    Map.of(),
                    answers);
        });
    }

    /** In its default, fully durable configuration: only the engine's address, model and concurrency are set. */
    Contestant oncebox() {
        return new Named("d: Oncebox", (load, folder, options) -> {
            var home = new OnceboxHome(lab, folder.resolve("home"), load.inFlight());
            home.drop(load.prompts(), "x.jsonl");
            return home.run(options, "run", "--until-idle");
        });
    }

    private String[] arguments(Load load, Path answers, Path... more) {
        List<String> all = new ArrayList<>(
                List.of("" + lab.port(), load.prompts().toString(), answers.toString(), "" + load.inFlight()));
        for (Path path : more) {
            all.add(path.toString());
        }
        return all.toArray(String[]::new);
    }
}
