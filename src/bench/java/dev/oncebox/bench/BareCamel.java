package dev.oncebox.bench;

import org.apache.camel.main.Main;

/** Camel itself with an integration of the same kind, in YAML, and nothing of ours: what a start costs at least. */
final class BareCamel {

    private BareCamel() {}

    /** @param args file of routes */
    public static void main(String[] args) throws Exception {
        long begun = System.nanoTime();
        var main = new Main();
        main.configure().withRoutesIncludePattern("file:" + args[0]).withJmxEnabled(false);
        main.start();
        System.out.println((System.nanoTime() - begun) / 1_000_000);
        main.stop();
    }
}
