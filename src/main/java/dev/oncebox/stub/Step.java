package dev.oncebox.stub;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one request is answered.
 *
 * @param form what kind of reply is made
 * @param status of the reply
 * @param code of the error object; null for the one that is usual with the status
 * @param delivery how much of the reply arrives
 * @param delay before the reply
 * @param pause between two bytes of the reply's body; zero for all at once
 * @param headers more reply headers
 * @param finish the finish reason
 * @param echo whether the prompt itself is the answer
 * @param size how many characters the answer has at least; it is filled up
 * @param text of the answer; null for the usual one
 * @param body of the reply; null for the one that goes with the form
 * @param later what comes after the acceptance, where the face has such a thing
 */
record Step(
        Form form,
        int status,
        @Nullable String code,
        Delivery delivery,
        Duration delay,
        Duration pause,
        Map<String, String> headers,
        String finish,
        boolean echo,
        int size,
        @Nullable String text,
        @Nullable String body,
        Later later) {

    static final Step GOOD = plain(Form.ANSWER, 200, Delivery.WHOLE);

    enum Form {
        ANSWER,
        REFUSAL,
        EMPTY,
        NO_CHOICES,
        RAW,
        ERROR,
        HTML,
        NOT_JSON,
        NO_BODY
    }

    enum Delivery {
        WHOLE("whole"),
        CUT("cut"),
        RESET("reset"),
        RESET_MID("reset-mid"),
        CLOSE("close"),
        HANG("hang");

        private final String word;

        Delivery(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    static Step plain(Form form, int status, Delivery delivery) {
        return new Step(
                form,
                status,
                null,
                delivery,
                Duration.ZERO,
                Duration.ZERO,
                Map.of(),
                "stop",
                false,
                0,
                null,
                null,
                Later.NOTHING);
    }

    /** Whether a face that works asynchronously takes the request on. */
    boolean accepts() {
        return form != Form.ERROR && status < 300;
    }
}
