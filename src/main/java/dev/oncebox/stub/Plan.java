package dev.oncebox.stub;

import dev.oncebox.stub.Step.Delivery;
import dev.oncebox.stub.Step.Form;

/** Decides how a prompt is dealt with: by its own directive, the stub's script, or its turn to fail. */
record Plan(Stub.Options options) {

    Step step(Tally tally, String prompt, long number) throws BadRequest {
        if (Script.isIn(prompt)) {
            return Script.of(prompt).step(tally.turn(prompt));
        }
        if (options.script() != null) {
            return Script.parse(options.script()).step(tally.turn(prompt));
        }
        if (options.failEvery() > 0 && number % options.failEvery() == 0) {
            return Step.plain(Form.ERROR, 503, Delivery.WHOLE);
        }
        if (options.cutEvery() > 0 && number % options.cutEvery() == 0) {
            return Step.plain(Form.ANSWER, 200, Delivery.CUT);
        }
        return Step.GOOD;
    }
}
