package dev.oncebox.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

/**
 * The loop that is as fast as camel-http can be: no ledger, prompts and answers in memory, nothing on the disk before
 * everything is over. Whoever kills it pays for everything again.
 */
final class BareLoop {

    private BareLoop() {}

    /** @param args port, file of prompts, file for answers, calls in flight */
    public static void main(String[] args) throws Exception {
        List<String> prompts = Files.readAllLines(Path.of(args[1]));
        int inFlight = Integer.parseInt(args[3]);
        var answers = new String[prompts.size()];
        var next = new AtomicInteger();
        try (var context = new DefaultCamelContext()) {
            context.addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:ask").to(ChatRequest.url(args[0], inFlight)).convertBodyTo(String.class);
                }
            });
            context.start();
            ExecutorService threads = Executors.newFixedThreadPool(inFlight);
            List<Future<?>> loops = new ArrayList<>();
            for (int i = 0; i < inFlight; i++) {
                loops.add(threads.submit(() -> {
                    ProducerTemplate ask = context.createProducerTemplate();
                    var json = new ObjectMapper();
                    for (int n = next.getAndIncrement(); n < answers.length; n = next.getAndIncrement()) {
                        answers[n] = ask.requestBody("direct:ask", ChatRequest.of(json, prompts.get(n)), String.class);
                    }
                    return null;
                }));
            }
            for (Future<?> loop : loops) {
                loop.get();
            }
            threads.shutdown();
        }
        Files.write(Path.of(args[2]), List.of(answers));
    }
}
