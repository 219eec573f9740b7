package dev.oncebox.plan;

import dev.oncebox.intake.RejectedFile;
import dev.oncebox.ledger.Entry;
import dev.oncebox.ledger.Foreseen.Kind;
import dev.oncebox.ledger.Shown;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** A plan for people. Of a file's invalid items the first are shown. */
final class PlanText implements PlanReport {

    private static final int MOST_INVALID = 10;
    private static final int LONGEST_NAME = 4096;
    private static final int LONGEST_SENTENCE = 400;
    private static final String LINE = "  %-10s %s%n";

    private final PrintWriter out;
    private long invalid;

    PlanText(PrintWriter out) {
        this.out = out;
    }

    private void heading(Heading heading) {
        String model = heading.job().job().model();
        out.printf(
                "%s (job %s, engine %s%s)%n",
                Shown.clipped(heading.file(), LONGEST_NAME),
                heading.job().job().name(),
                heading.job().engine(),
                model == null ? "" : ", model " + Shown.clipped(model, LONGEST_NAME));
    }

    @Override
    public void rejected(Heading heading, RejectedFile reason) {
        heading(heading);
        out.printf(LINE, "rejected", reason.code() + ": " + sentence(reason.getMessage()));
    }

    @Override
    public void begins(Heading heading, boolean takenBefore) {
        heading(heading);
        invalid = 0;
        if (takenBefore) {
            out.printf(
                    LINE, "known", "it was taken before; its answers and its receipt are delivered again as they were");
        }
    }

    @Override
    public void invalid(Entry.Invalid item) {
        invalid++;
        if (invalid <= MOST_INVALID) {
            out.printf(
                    LINE,
                    "invalid",
                    "line " + item.line() + ", byte " + item.offset() + ": " + item.code() + ": "
                            + sentence(item.message()));
        }
    }

    @Override
    public void ends(Heading heading, Tally tally, Estimate estimate, boolean changed) {
        if (invalid > MOST_INVALID) {
            out.printf(LINE, "", "and " + (invalid - MOST_INVALID) + " more; --json shows them all");
        }
        sums(tally, estimate, heading.job().engine());
        if (changed) {
            out.printf(LINE, "changed", "it was written to while it was read: plan it again");
        }
    }

    @Override
    public void total(int files, Tally tally, Estimate estimate) {
        if (files > 1) {
            out.printf("%d files%n", files);
            sums(tally, estimate, "NAME");
        }
        out.flush();
    }

    private void sums(Tally tally, Estimate estimate, String engine) {
        out.printf(LINE, "items", tally.items() + said(tally.items() == 0 ? List.of() : ofItems(tally)));
        out.printf(LINE, "calls", tally.calls() + said(ofCalls(tally)));
        out.printf(LINE, "to be sent", tally.sent());
        if (estimate.calls() == 0) {
            out.printf(LINE, "price", "0, as nothing is sent");
            return;
        }
        out.printf(
                LINE,
                "tokens",
                shown(estimate.input()) + " in" + by("counted as ", estimate.inputBy()) + ", "
                        + shown(estimate.output()) + " out" + by("after ", estimate.outputBy())
                        + (estimate.outputAtMost() == null ? "" : ", at most " + estimate.outputAtMost()));
        out.printf(LINE, "price", price(estimate, engine));
    }

    private static List<String> ofItems(Tally tally) {
        List<String> parts = new ArrayList<>();
        add(parts, tally.of(Kind.INVALID), "invalid");
        add(parts, tally.of(Kind.REPEATED), "with the call of an earlier one of the file");
        add(parts, tally.of(Kind.SHARED), "with a call of a file above");
        add(parts, tally.variants(), "that differ from another only in white space");
        return parts;
    }

    private static List<String> ofCalls(Tally tally) {
        List<String> parts = new ArrayList<>();
        add(parts, tally.of(Kind.NEW), "new");
        add(parts, tally.of(Kind.RETRIED), "dead at no cost and tried again");
        add(parts, tally.of(Kind.ANSWERED), "answered already");
        add(parts, tally.of(Kind.WAITING), "waiting to be sent for an earlier file");
        add(parts, tally.of(Kind.IN_FLIGHT), "in flight");
        add(parts, tally.of(Kind.IN_DOUBT), "in doubt");
        add(parts, tally.of(Kind.DEAD), "dead");
        return parts;
    }

    private static void add(List<String> parts, long count, String what) {
        if (count > 0) {
            parts.add(count + " " + what);
        }
    }

    private static String said(List<String> parts) {
        return parts.isEmpty() ? "" : ": " + String.join(", ", parts);
    }

    private static String by(String how, SortedSet<String> words) {
        return words.isEmpty() ? "" : " (" + how + String.join(", ", words) + ")";
    }

    private static String price(Estimate estimate, String engine) {
        if (estimate.inputPrice() == null && estimate.input() != null) {
            return "unknown: set engine." + engine + ".price.input and engine." + engine + ".price.output";
        }
        BigDecimal price = estimate.price();
        String most = estimate.priceAtMost() == null ? "" : ", at most " + plain(estimate.priceAtMost());
        if (price != null) {
            return "about " + plain(price) + most;
        }
        return "unknown"
                + (estimate.inputPrice() == null ? "" : ", of which input about " + plain(estimate.inputPrice()))
                + most;
    }

    private static String plain(BigDecimal amount) {
        return amount.stripTrailingZeros().toPlainString();
    }

    private static String shown(@Nullable Long count) {
        return count == null ? "an unknown number" : "about " + count;
    }

    private static String sentence(@Nullable String text) {
        return Shown.clipped(String.valueOf(text), LONGEST_SENTENCE);
    }
}
