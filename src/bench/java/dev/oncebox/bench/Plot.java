package dev.oncebox.bench;

import java.util.List;
import java.util.Locale;

/** The targets as bars, in SVG: how far each is met, up to twice. */
final class Plot {

    private static final int BAR = 22;
    private static final int LEFT = 470;
    private static final int WIDTH = 300;
    private static final double MOST = 2;

    private Plot() {}

    static String svg(List<Target> targets) {
        int height = BAR * (targets.size() + 2);
        var svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                LEFT + WIDTH + 130,
                height));
        int y = BAR / 2;
        for (Target target : targets) {
            text(svg, LEFT - 8, y + 14, "end", target.what());
            bar(svg, y, target);
            y += BAR;
        }
        int one = x(1);
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" y1=\"4\" x2=\"%d\" y2=\"%d\" stroke=\"black\" stroke-dasharray=\"4 3\"/>%n",
                one,
                one,
                y));
        text(svg, one, y + 14, "middle", "target");
        return svg.append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, int y, Target target) {
        int end = x(Math.min(MOST, target.degree()));
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>%n",
                LEFT,
                y + 2,
                end - LEFT,
                BAR - 6,
                target.isMet() ? "#4c9a6a" : "#c8703f"));
        String measured = String.format(Locale.ROOT, "%.3g", target.measured().median());
        text(svg, end + 6, y + 14, "start", measured + " (" + target.wantedText() + ")");
    }

    private static int x(double degree) {
        return LEFT + (int) Math.round(WIDTH * degree / MOST);
    }

    private static void text(StringBuilder svg, int x, int y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, escaped));
    }
}
