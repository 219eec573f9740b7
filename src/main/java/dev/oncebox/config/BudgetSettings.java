package dev.oncebox.config;

import java.math.BigDecimal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What may be spent, from {@code budget.…} in {@code application.properties}.
 *
 * @param calls how many calls may be charged; null: any number
 * @param cost in the currency of the engines' prices; null: any sum
 * @param period for how long each budget is, counted in UTC from 1970, so that 24h is a day; null: for each run
 */
public record BudgetSettings(
        @Nullable Long calls,
        @Nullable BigDecimal cost,
        @Nullable Duration period) {

    static final BudgetSettings NONE = new BudgetSettings(null, null, null);
}
