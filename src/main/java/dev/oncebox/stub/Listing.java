package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Function;

/** A page of a list, as both vendors have them. */
record Listing(String after, int limit) {

    /** @param most how many a page may have and has when nothing is said; {@code usual} may be less */
    static Listing of(Request request, String afterName, int usual, int most) throws BadRequest {
        String limit = request.parameter("limit", Integer.toString(usual));
        if (!limit.matches("\\d{1,5}") || Integer.parseInt(limit) < 1 || Integer.parseInt(limit) > most) {
            throw new BadRequest("'limit' must be a whole number from 1 to " + most + ", not " + limit);
        }
        return new Listing(request.parameter(afterName, ""), Integer.parseInt(limit));
    }

    boolean isFirst() {
        return after.isEmpty();
    }

    /** Those after the named one: {@code data}, {@code first_id}, {@code last_id}, {@code has_more}. */
    <T> ObjectNode page(List<T> all, Function<T, String> id, Function<T, ObjectNode> view) throws BadRequest {
        int from = 0;
        while (!isFirst() && from < all.size() && !id.apply(all.get(from)).equals(after)) {
            from++;
        }
        if (!isFirst() && from == all.size()) {
            throw new BadRequest("There is nothing with the id " + after);
        }
        from += isFirst() ? 0 : 1;
        List<T> page = all.subList(from, Math.min(from + limit, all.size()));
        ObjectNode reply = Json.object();
        ArrayNode data = reply.putArray("data");
        page.forEach(thing -> data.add(view.apply(thing)));
        return reply.put("first_id", page.isEmpty() ? null : id.apply(page.get(0)))
                .put("last_id", page.isEmpty() ? null : id.apply(page.get(page.size() - 1)))
                .put("has_more", from + page.size() < all.size());
    }
}
