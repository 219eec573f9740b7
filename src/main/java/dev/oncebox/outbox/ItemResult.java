package dev.oncebox.outbox;

import dev.oncebox.ledger.Outcome;

/** What the outbox says of one item. */
sealed interface ItemResult {

    Outcome outcome();

    /**
     * @param value the answer's text, or its JSON
     */
    record Answered(Outcome outcome, Outcome.CallRecord call, String value, boolean json) implements ItemResult {

        String charged() {
            if (!outcome.fresh()) {
                return "reused";
            }
            return call.doubts() > 0 ? "unknown" : "new";
        }
    }

    record Failed(Outcome outcome, String code, String message) implements ItemResult {}

    /**
     * @param json whether the job wants JSON, also of an answer that another job asked for as text
     */
    static ItemResult of(Outcome outcome, boolean json) {
        Outcome.StoredAnswer answer = outcome.answer();
        Outcome.CallRecord call = outcome.call();
        if (outcome.code() != null || answer == null || call == null) {
            return new Failed(
                    outcome,
                    outcome.code() == null ? "no_answer" : outcome.code(),
                    outcome.message() == null ? "There is no answer." : outcome.message());
        }
        boolean wanted = json || answer.json();
        if (wanted && !JsonText.isValid(answer.text())) {
            return new Failed(
                    outcome,
                    "not_json",
                    "The answer is no JSON, and the job wants JSON. It is kept: with answer = text in job.properties,"
                            + " drop the file again and it is delivered as text, unpaid.");
        }
        return new Answered(outcome, call, answer.text(), wanted);
    }
}
