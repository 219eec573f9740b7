package dev.oncebox;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The shape of the whole: stages meet in the ledger and nowhere else. */
class ArchitectureTest {

    private static final String[] STAGES = {"intake", "engine", "answer", "outbox", "operate", "stub"};

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.oncebox");

    @Test
    void the_ledgers_sql_knows_no_camel() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.oncebox.ledger", "dev.oncebox.ledger.sql..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.camel..")
                .check(PRODUCT);
    }

    @Test
    void only_the_ledgers_sql_speaks_to_a_database() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.oncebox.ledger.sql..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite..", "org.flywaydb..")
                .check(PRODUCT);
    }

    @Test
    void only_the_engines_send_over_http() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.oncebox.engine..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.hc..", "java.net.http..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.net.HttpURLConnection")
                .check(PRODUCT);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.oncebox.engine..")
                .and()
                .doNotHaveFullyQualifiedName("dev.oncebox.runtime.RouteFiles") // looks at the options of endpoints
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.camel.component.http..")
                .check(PRODUCT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"intake", "engine", "answer", "outbox", "operate", "stub"})
    void a_stage_knows_no_other_stage(String stage) {
        String[] others = Stream.of(STAGES)
                .filter(other -> !other.equals(stage))
                .map(other -> "dev.oncebox." + other + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("dev.oncebox." + stage + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.oncebox.runtime..", "dev.oncebox.cli..")
                .check(PRODUCT);
    }

    @Test
    void the_ledger_knows_no_stage_and_the_stub_knows_nothing_of_the_product() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.oncebox.ledger..", "dev.oncebox.job..", "dev.oncebox.config..", "dev.oncebox.files..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(Stream.of(STAGES)
                        .map(stage -> "dev.oncebox." + stage + "..")
                        .toArray(String[]::new))
                .check(PRODUCT);
        classes()
                .that()
                .resideInAPackage("dev.oncebox.stub..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.oncebox.stub..", "java..", "com.fasterxml..", "org.jspecify..")
                .check(PRODUCT);
    }

    /** Settings hold the jobs, and jobs are read with the tools of the settings: these two are one thing in two packages. */
    @Test
    void packages_do_not_depend_on_one_another_in_a_circle() {
        slices().matching("dev.oncebox.(*)..")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(resideInAPackage("dev.oncebox.config.."), resideInAPackage("dev.oncebox.job.."))
                .check(PRODUCT);
    }
}
