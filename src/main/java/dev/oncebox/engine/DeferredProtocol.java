package dev.oncebox.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A protocol of an endpoint that accepts a request first and is asked for the answer later. */
interface DeferredProtocol extends Protocol {

    /**
     * Where an accepted request is asked for, as the reply to its submission says.
     *
     * @param submitted the address that the request was sent to, without its query
     * @param headers by lower-case name
     * @return absolute or relative to {@code submitted}; null when the reply does not say
     */
    @Nullable
    String address(URI submitted, Map<String, String> headers, JsonNode reply);

    /** How far a job is, as a reply says that is whole JSON. */
    Progress progress(JsonNode reply);

    /** The address that gives a job up, asked by POST; null where the protocol knows none. */
    default @Nullable URI cancellation(URI job) {
        return null;
    }

    /**
     * How far a job is.
     *
     * @param said the endpoint's own word
     */
    record Progress(State state, String said) {}

    /** What a job's word means. */
    enum State {
        /** No end yet. */
        RUNNING,
        /** It ended without an answer. */
        FAILED,
        /** The reply holds the answer, as far as it holds any. */
        ENDED
    }
}
