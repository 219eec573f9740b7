package dev.oncebox.stub;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Counts, remembers the last calls and knows how often a scripted prompt was seen. A reset starts a new one. */
final class Tally {

    /** Far above what POSTs are numbered by. */
    private static final long FIRST_LINE = 1_000_000_000L;

    private static final int MAX_SCRIPTS = 100_000;
    private static final Set<String> CHATS = Set.of("POST /v1/chat/completions", "POST /v1/messages", "POST /api/chat");
    private static final byte[] NOTHING = new byte[0];

    private final int limit;
    private final boolean keepBodies;
    private final Deque<Entry> log = new ArrayDeque<>();
    private final Set<UUID> keys = new HashSet<>();
    private final Map<UUID, Integer> turns = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Integer> eldest) {
            return size() > MAX_SCRIPTS;
        }
    };
    private final Submissions submissions = new Submissions();
    private final Map<String, Long> faces = new TreeMap<>();
    private long lines = FIRST_LINE;
    private long accepted;
    private long chat;
    private long summarize;
    private long answered;

    Tally(int limit, boolean keepBodies) {
        this.limit = limit;
        this.keepBodies = keepBodies;
    }

    /** Counts a request that is here completely, before anything else happens to it. */
    Entry accept(Request request, @Nullable String template) {
        String key = request.headers().get("Idempotency-Key");
        byte[] sha256 = sha256(request.body());
        synchronized (this) {
            Entry entry = new Entry(
                    ++accepted, request.path(), key, sha256, request.fields(), keepBodies ? request.body() : NOTHING);
            chat += template != null && CHATS.contains(template) ? 1 : 0;
            summarize += "POST /summarize".equals(template) ? 1 : 0;
            if (key != null) {
                keys.add(digest(key));
            }
            log.add(entry);
            if (log.size() > limit) {
                log.remove();
            }
            return entry;
        }
    }

    /** How many requests with this prompt there were, this one included. */
    synchronized int turn(String prompt) {
        return turns.merge(digest(prompt), 1, Integer::sum);
    }

    synchronized Counts counts() {
        return new Counts(
                accepted, chat, summarize, answered, keys.size(), submissions.started(), submissions.charged(), faces);
    }

    Submissions submissions() {
        return submissions;
    }

    /** The number of a batch's line, which no POST has. */
    synchronized long nextLine() {
        return ++lines;
    }

    /** A request to a known path, counted by method and path. */
    synchronized void seen(String template) {
        faces.merge(template, 1L, Long::sum);
    }

    synchronized List<Entry> entries() {
        return List.copyOf(log);
    }

    private static UUID digest(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static String sha256Hex(byte[] body) {
        return HexFormat.of().formatHex(sha256(body));
    }

    private static byte[] sha256(byte[] body) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(body);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    /** One call in the log; header lines stay unparsed, for there may be many of them. */
    final class Entry {

        private final long number;
        private final String path;
        private final @Nullable String key;
        private final byte[] sha256;
        private final String fields;
        private final byte[] body;
        private final Instant at = Instant.now();
        private volatile String outcome = "pending";

        Entry(long number, String path, @Nullable String key, byte[] sha256, String fields, byte[] body) {
            this.number = number;
            this.path = path;
            this.key = key;
            this.sha256 = sha256;
            this.fields = fields;
            this.body = body;
        }

        long number() {
            return number;
        }

        void ended(String how) {
            outcome = how;
        }

        /** Just before the last byte goes, so that whoever has the reply finds it counted. */
        void answered(int status) {
            outcome = Integer.toString(status);
            synchronized (Tally.this) {
                answered++;
            }
        }

        void notAnswered() {
            outcome = "gone";
            synchronized (Tally.this) {
                answered--;
            }
        }

        Call call() {
            try {
                return new Call(
                        number,
                        path,
                        key,
                        HexFormat.of().formatHex(sha256),
                        outcome,
                        at,
                        Request.headers(fields),
                        body.clone());
            } catch (BadRequest e) {
                throw new IllegalStateException("These headers were read before", e);
            }
        }
    }
}
