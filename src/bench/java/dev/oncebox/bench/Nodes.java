package dev.oncebox.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes on one ledger in PostgreSQL, against one, and against one with a file of its own. The nodes, the server
 * and the endpoint are on one machine: it shows what sharing costs, and not what further machines bring.
 */
record Nodes(Lab lab, Sizes sizes) implements Measurement {

    private static final int IN_FLIGHT = 64;
    /** A round takes minutes. */
    private static final int MOST_ROUNDS = 1;

    private static final int ON_A_FILE = 0;
    /** One node, and the server on another machine of the same data centre. */
    private static final int AWAY = -1;

    private static final Duration ROUND_TRIP = Duration.ofMillis(1);
    private static final List<Integer> NODES = List.of(1, 2, 4);

    /** Of every number of nodes, what was measured in each round. */
    private record Rates(Map<Integer, List<Double>> all) {

        Rates() {
            this(new TreeMap<>());
        }

        void add(int nodes, double rate) {
            all.computeIfAbsent(nodes, none -> new ArrayList<>()).add(rate);
        }

        private Ratio ratio(String what, int nodes, int against, String how) {
            List<Double> ratios = new ArrayList<>();
            List<Double> base = all.getOrDefault(against, List.of());
            for (int i = 0; i < base.size(); i++) {
                ratios.add(all.getOrDefault(nodes, List.of()).get(i) / base.get(i));
            }
            return new Ratio(what, new Series(ratios), how);
        }

        void report(Report report, String what, String how) {
            String rates = new Series(all.getOrDefault(ON_A_FILE, List.of())).text("%.0f") + " on a file; ";
            for (int nodes : NODES) {
                rates += new Series(all.getOrDefault(nodes, List.of())).text("%.0f") + " by " + nodes + "; ";
            }
            rates += new Series(all.getOrDefault(AWAY, List.of())).text("%.0f") + " a millisecond away; ";
            report.add(ratio(what + ", one node on PostgreSQL against one on a file", 1, ON_A_FILE, rates + how));
            report.add(ratio(what + ", one node and the server a millisecond away, against near", AWAY, 1, how));
            report.add(ratio(what + ", two nodes against one", 2, 1, how));
            report.add(ratio(what + ", four nodes against one", 4, 1, how));
        }
    }

    @Override
    public void run(Report report) throws IOException, InterruptedException {
        var calls = new Rates();
        var claims = new Rates();
        var claiming = new Claims(lab, sizes.warmCalls(), sizes.sharedCalls());
        for (int round = 0; round < Math.min(MOST_ROUNDS, sizes.rounds()); round++) {
            Path folder = lab.newFolder("ledgers");
            calls.add(ON_A_FILE, rate(report, "Oncebox on a file", 1, List.of(), null));
            claims.add(ON_A_FILE, claiming.perSecond("jdbc:sqlite:" + folder.resolve("claims.db"), 1, IN_FLIGHT));
            try (var server = new PostgresServer(folder)) {
                for (int nodes : NODES) {
                    List<String> ledger = List.of("ledger.url=" + server.newDatabase());
                    calls.add(nodes, rate(report, "Oncebox on PostgreSQL, nodes: " + nodes, nodes, ledger, server));
                    claims.add(nodes, claiming.perSecond(server.newDatabase(), nodes, IN_FLIGHT));
                }
                try (Distance line = server.away(ROUND_TRIP)) {
                    report.note(String.format(
                            Locale.ROOT,
                            "The line to the server a millisecond away: %.2f ms there and back.",
                            server.roundTripMillis(line)));
                    List<String> ledger = List.of("ledger.url=" + server.newDatabase(line));
                    calls.add(AWAY, rate(report, "Oncebox on PostgreSQL, a millisecond away", 1, ledger, server));
                    claims.add(AWAY, claiming.perSecond(server.newDatabase(line), 1, IN_FLIGHT));
                }
            }
            Lab.delete(folder);
        }
        calls.report(
                report,
                "calls/s",
                sizes.sharedCalls() + " calls of warm nodes, 64 in flight in all, prompts of 1.5 KB, no delay");
        claims.report(
                report,
                "calls claimed, sent and settled/s, without HTTP and files",
                sizes.sharedCalls() + " calls of warm processes, 64 threads in all");
    }

    private double rate(Report report, String what, int nodes, List<String> ledger, @Nullable PostgresServer server)
            throws IOException, InterruptedException {
        int calls = sizes.sharedCalls();
        try (var cluster = new Cluster(lab, nodes, IN_FLIGHT, ledger)) {
            lab.reset(0);
            cluster.ask(sizes.warmCalls() * nodes);
            lab.reset(0);
            PostgresServer.Work before = server == null ? null : server.work();
            int answers = cluster.ask(calls);
            Served served = lab.served();
            Trial.require(what, "calls", calls, served.accepted());
            Trial.require(what, "answers", calls, answers);
            double cpu = cluster.cpu(served.first(), served.last());
            var performance = new Performance(calls, served.seconds(), cpu, Double.NaN);
            report.add(what, performance);
            if (server != null && before != null) {
                report.note(what + ", the server: " + text(server.work().since(before), calls));
            }
            return performance.callsPerSecond();
        }
    }

    private static String text(PostgresServer.Work work, int calls) {
        return String.format(
                Locale.ROOT,
                "%.0f ms of processors per thousand calls; a call came to %.1f KB of its log, %.1f statements and %.2f"
                        + " transactions, those that only read included; deadlocks in all: %d.",
                work.cpuMillis() * 1000 / calls,
                work.walBytes() / 1024.0 / calls,
                (double) work.statements() / calls,
                (double) work.transactions() / calls,
                work.deadlocks());
    }
}
