package dev.oncebox.runtime;

import dev.oncebox.config.BudgetSettings;
import dev.oncebox.config.EngineSettings;
import dev.oncebox.config.EngineSettings.OnDoubt;
import dev.oncebox.config.Settings;
import dev.oncebox.job.Job;
import dev.oncebox.ledger.Policy;
import dev.oncebox.ledger.camel.Fallbacks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the settings mean for calls: by whom they are asked, how often, and at what price. */
final class Policies {

    private static final int ATTEMPTS_OF_A_LOST_JOB = 3;

    private final Settings settings;

    Policies(Settings settings) {
        this.settings = settings;
    }

    /** The engine that each job asks first. */
    Map<String, String> firstEngines() {
        return settings.jobs().all().stream()
                .collect(Collectors.toMap(Job::name, job -> job.engines().get(0)));
    }

    /** The longest that any engine may take for a call. */
    Duration longestCall() {
        return settings.engines().values().stream()
                .map(EngineSettings::timeout)
                .max(Duration::compareTo)
                .orElse(Duration.ofSeconds(1));
    }

    /** What holds for a job's calls at an engine. */
    Policy of(String job, String engine) {
        EngineSettings settingsOfEngine = settings.engines().get(engine);
        return new Policy(
                settings.jobs().find(job).map(Job::attempts).orElse(ATTEMPTS_OF_A_LOST_JOB),
                settingsOfEngine != null && settingsOfEngine.onDoubt() == OnDoubt.RESEND,
                settingsOfEngine != null && settingsOfEngine.deduplicates(),
                settings.retry(),
                settings.jobs().find(job).map(found -> found.fallback(engine)).orElse(null));
    }

    Fallbacks fallbacks() {
        return new Fallbacks(
                settings.jobs().all().stream().collect(Collectors.toMap(Job::name, Job::engines)),
                settings.engines().values().stream()
                        .filter(engine -> engine.onDoubt() == OnDoubt.RESEND)
                        .map(EngineSettings::name)
                        .collect(Collectors.toSet()));
    }

    /** All of which must have something left. */
    List<BudgetSettings> budgets(@Nullable Long maxCalls) {
        return maxCalls == null
                ? List.of(settings.budget())
                : List.of(settings.budget(), new BudgetSettings(maxCalls, null, null));
    }
}
