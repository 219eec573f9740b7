package dev.oncebox.ledger;

import org.jspecify.annotations.Nullable;

/**
 * Where the answers of a file went.
 *
 * @param name below the outbox, with {@code /} between the names; of another destination whatever it calls the place
 * @param seal by which the destination knows what it wrote, should the same answers come again; null when it has none
 */
public record Output(String name, @Nullable String seal) {

    public static Output unsealed(String name) {
        return new Output(name, null);
    }
}
