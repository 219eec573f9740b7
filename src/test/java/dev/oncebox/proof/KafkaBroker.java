package dev.oncebox.proof;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A real broker, which is its own controller (KRaft), in a process of its own; it can be stopped and started again. */
final class KafkaBroker implements AutoCloseable {

    private static final Path JARS = Path.of("target/kafka").toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path folder;
    private final int port;
    private final Path settings;
    private Process process;

    KafkaBroker(Path folder) throws IOException {
        this.folder = folder;
        this.port = freePort();
        this.settings = folder.resolve("server.properties");
        fetch();
        int controller = freePort();
        Files.writeString(settings, """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                controller.listener.names=CONTROLLER
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
                log.dirs=%3$s
                num.partitions=1
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                group.initial.rebalance.delay.ms=0
                group.min.session.timeout.ms=1000
                """.formatted(port, controller, folder.resolve("log")));
        java("kafka.tools.StorageTool", "format", "-t", id(), "-c", settings.toString());
        start();
    }

    private static String id() {
        return org.apache.kafka.common.Uuid.randomUuid().toString();
    }

    /** The broker's jars are no part of the build: they are fetched once, by a pom of their own. */
    private static void fetch() throws IOException {
        try (Stream<Path> jars = Files.isDirectory(JARS) ? Files.list(JARS) : Stream.empty()) {
            if (jars.findAny().isPresent()) {
                return;
            }
        }
        Machine.done("mvn", "-q", "-B", "-f", "src/test/kafka/pom.xml", "dependency:copy-dependencies");
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static List<String> command(String main, String... arguments) {
        return Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                JARS + "/*",
                                main),
                        Stream.of(arguments))
                .toList();
    }

    private void java(String main, String... arguments) {
        Machine.done(command(main, arguments).toArray(String[]::new));
    }

    /** Starts it, and waits until it answers. */
    void start() throws IOException {
        process = new ProcessBuilder(command("kafka.Kafka", settings.toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("broker.log").toFile()))
                .start();
        try (Admin admin = admin()) {
            admin.describeCluster().nodes().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IOException("The broker does not answer: " + Files.readString(folder.resolve("broker.log")), e);
        }
    }

    /** Ends it without a farewell. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    private Properties properties() {
        var properties = new Properties();
        properties.put("bootstrap.servers", address());
        return properties;
    }

    private Admin admin() {
        Properties properties = properties();
        properties.put("default.api.timeout.ms", String.valueOf(PATIENCE.toMillis()));
        return Admin.create(properties);
    }

    void make(String topic, int partitions) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
        }
    }

    /** Sends records to a topic, and waits until they are there. */
    void send(String topic, String... values) throws Exception {
        try (var producer = new KafkaProducer<>(properties(), new StringSerializer(), new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, value)).get();
            }
        }
    }

    /** All records that are in the first partition of a topic by now. */
    List<ConsumerRecord<String, String>> records(String topic) {
        var partition = new TopicPartition(topic, 0);
        try (var consumer = new KafkaConsumer<>(properties(), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            List<ConsumerRecord<String, String>> all = new java.util.ArrayList<>();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(all::add);
            }
            return all;
        }
    }

    /** What a group has committed of the first partition; 0 when it has not. */
    long committed(String group, String topic) throws Exception {
        try (Admin admin = admin()) {
            Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
            OffsetAndMetadata committed = offsets.get(new TopicPartition(topic, 0));
            return committed == null ? 0 : committed.offset();
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
