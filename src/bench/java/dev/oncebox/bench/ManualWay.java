package dev.oncebox.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.builder.ThreadPoolBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.sqlite.SQLiteConfig;

/**
 * The same as one would write it with Camel's manual at hand: file, split in parallel, idempotent consumer with a
 * repository over JDBC, http, file. Each key is on the disk before its call; an answer that was not written when the
 * process dies is lost, as the key stays.
 */
final class ManualWay {

    private ManualWay() {}

    /** @param args port, file of prompts, folder for answers, calls in flight, database */
    public static void main(String[] args) throws Exception {
        var prompts = Path.of(args[1]);
        int inFlight = Integer.parseInt(args[3]);
        var done = new CountDownLatch(1);
        var json = new ObjectMapper();
        try (HikariDataSource database = database(args[4]);
                var context = new DefaultCamelContext()) {
            context.addRoutes(new RouteBuilder() {
                @Override
                public void configure() throws Exception {
                    from("file:" + prompts.getParent() + "?noop=true&fileName=" + prompts.getFileName())
                            .split(body().tokenize("\n"))
                            .streaming()
                            .parallelProcessing()
                            .executorService(threads(context, inFlight))
                            .process(exchange -> exchange.getMessage()
                                    .setBody(ChatRequest.of(
                                            json, exchange.getMessage().getBody(String.class))))
                            .setHeader("key", simple("${hash(${body},SHA-256)}"))
                            .idempotentConsumer(header("key"), new JdbcMessageIdRepository(database, "bench"))
                            .removeHeaders("key")
                            .to(ChatRequest.url(args[0], inFlight))
                            .convertBodyTo(String.class)
                            .to("file:" + args[2] + "?fileName=answers.jsonl&fileExist=Append&appendChars=\\n")
                            .end()
                            .end()
                            .process(exchange -> done.countDown());
                }
            });
            context.start();
            done.await();
        }
    }

    private static ExecutorService threads(CamelContext context, int inFlight) throws Exception {
        return new ThreadPoolBuilder(context)
                .poolSize(inFlight)
                .maxPoolSize(inFlight)
                .maxQueueSize(1000)
                .build("ask");
    }

    /** One connection: SQLite has one writer, and several only keep each other waiting. */
    private static HikariDataSource database(String file) {
        var sqlite = new SQLiteConfig();
        sqlite.setJournalMode(SQLiteConfig.JournalMode.WAL);
        sqlite.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        var pool = new HikariConfig();
        pool.setJdbcUrl("jdbc:sqlite:" + file);
        pool.setDataSourceProperties(sqlite.toProperties());
        pool.setMaximumPoolSize(1);
        pool.setConnectionTimeout(600_000);
        return new HikariDataSource(pool);
    }
}
