package dev.oncebox.stub;

import java.util.ArrayList;
import java.util.List;

/** The steps of a {@code [[stub: …]]} directive, one for each request with the same prompt. */
record Script(List<Step> steps, boolean lastRepeats) {

    private static final String OPENING = "[[stub:";
    private static final String CLOSING = "]]";
    private static final List<String> REPEATS = List.of("always", "…", "...");

    static boolean isIn(String prompt) {
        int from = prompt.indexOf(OPENING);
        return from >= 0 && prompt.indexOf(CLOSING, from) >= 0;
    }

    /** The first directive of a prompt that has one. */
    static Script of(String prompt) throws BadRequest {
        int from = prompt.indexOf(OPENING);
        return parse(prompt.substring(from + OPENING.length(), prompt.indexOf(CLOSING, from)));
    }

    static Script parse(String words) throws BadRequest {
        List<Step> steps = new ArrayList<>();
        for (String text : words.split(";", -1)) {
            String step = text.strip();
            String repeat = REPEATS.stream().filter(step::endsWith).findFirst().orElse("");
            steps.add(StepReader.read(step.substring(0, step.length() - repeat.length())));
            if (!repeat.isEmpty()) {
                return new Script(steps, true);
            }
        }
        return new Script(steps, false);
    }

    /** The prompt as it reads without its directive. */
    static String without(String prompt) {
        if (!isIn(prompt)) {
            return prompt;
        }
        int from = prompt.indexOf(OPENING);
        return prompt.substring(0, from) + prompt.substring(prompt.indexOf(CLOSING, from) + CLOSING.length());
    }

    /** What happens to the {@code turn}th request, from 1. */
    Step step(int turn) {
        if (turn > steps.size()) {
            return lastRepeats ? steps.get(steps.size() - 1) : Step.GOOD;
        }
        return steps.get(turn - 1);
    }
}
