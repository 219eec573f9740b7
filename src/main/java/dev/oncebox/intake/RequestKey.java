package dev.oncebox.intake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The key of a call: SHA-256 of the canonical, normalised request. Calls with the same key are paid once.
 *
 * <p>Guaranteed: the key covers every member of {@link Request} and nothing else; an absent member and a JSON null
 * are different; of two requests that differ in more than {@link Normalizer} and {@link CanonicalJson} unify, no two
 * share the hashed text.
 *
 * <p>The hazard is a change of what is hashed: every known answer would be unknown, and paid again. Such a change
 * needs a new {@link #VERSION} and a migration of the ledger; the golden keys in the tests watch over it. NFC comes
 * from the JDK; Unicode promises it stable for assigned characters only.
 */
public final class RequestKey {
    /** The version of what is hashed; itself part of every key. */
    public static final int VERSION = 1;

    private static final int BYTES = 32;
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private RequestKey() {}

    /**
     * The key of a request that is identified by its content.
     *
     * @return 32 bytes
     * @throws IllegalArgumentException for {@link Keying#ID}; see {@link #ofId}
     */
    public static byte[] of(Request request, Keying keying) {
        return sha256(canonical(request, keying));
    }

    /**
     * The key of an item that is identified by its job and its id.
     *
     * @param idJson the id as JSON text, as written: {@code 7} and {@code "7"} are two ids
     * @return 32 bytes
     */
    public static byte[] ofId(String job, String idJson) {
        return sha256(CanonicalJson.write(versioned(Keying.ID).put("job", job).put("id", idJson)));
    }

    /** The key as people and files see it: 64 lower-case hexadecimal digits. */
    public static String hex(byte[] key) {
        return HexFormat.of().formatHex(key);
    }

    /**
     * The key that a person or a file names; upper and lower case are the same.
     *
     * @return 32 bytes
     * @throws IllegalArgumentException with a sentence for that person, if it is no key
     */
    public static byte[] parse(String hex) {
        if (hex.length() != 2 * BYTES || !hex.chars().allMatch(HexFormat::isHexDigit)) {
            throw new IllegalArgumentException("'" + (hex.length() > 80 ? hex.substring(0, 80) + "…" : hex)
                    + "' is not a key; a key is 64 hexadecimal digits, as `oncebox journal FILE` shows them.");
        }
        return HexFormat.of().parseHex(hex);
    }

    /** The text that is hashed. */
    static String canonical(Request request, Keying keying) {
        if (keying == Keying.ID) {
            throw new IllegalArgumentException("A request keyed by id has its key from the job and the id alone.");
        }
        ObjectNode root = versioned(keying);
        putText(root, "system", request.system(), keying);
        putText(root, "text", request.text(), keying);
        put(root, "messages", request.messages() == null ? null : messages(request.messages(), keying));
        if (request.passed() != null) {
            root.put("url", request.passed().url());
            root.set("body", whole(request, request.passed(), keying));
            put(root, "sample", request.sample());
            return CanonicalJson.write(root);
        }
        if (request.model() != null) {
            root.put("model", request.model());
        }
        request.params().forEach(root.putObject("params")::set);
        put(root, "schema", request.schema());
        put(root, "sample", request.sample());
        return CanonicalJson.write(root);
    }

    private static ObjectNode versioned(Keying keying) {
        return JSON.objectNode().put("v", VERSION).put("keying", keying.name().toLowerCase(Locale.ROOT));
    }

    private static void put(ObjectNode root, String name, @Nullable JsonNode value) {
        if (value != null) {
            root.set(name, value);
        }
    }

    private static void putText(ObjectNode root, String name, @Nullable String text, Keying keying) {
        if (text != null) {
            root.put(name, Normalizer.normalize(text, keying));
        }
    }

    /**
     * A whole body is compared with whole bodies only: what its members mean to an endpoint is not known here. So it
     * never shares a key with an item that has a text or messages.
     */
    private static ObjectNode whole(Request request, Request.Passed passed, Keying keying) {
        ObjectNode body = request.body();
        if (passed.isChat() && body.path("messages") instanceof ArrayNode messages) {
            body.set("messages", messages(messages, keying));
        }
        return body;
    }

    private static ArrayNode messages(ArrayNode messages, Keying keying) {
        ArrayNode result = JSON.arrayNode(messages.size());
        for (JsonNode message : messages) {
            JsonNode content = message.path("content");
            if (content instanceof ArrayNode parts) {
                ArrayNode normalised = JSON.arrayNode(parts.size());
                parts.forEach(part -> normalised.add(withNormalised("text", part, keying)));
                result.add(shallowCopy(message).set("content", normalised));
            } else {
                result.add(withNormalised("content", message, keying));
            }
        }
        return result;
    }

    /** The node, with the member of this name normalised if it is a string. The node itself stays as it is. */
    private static JsonNode withNormalised(String name, JsonNode node, Keying keying) {
        if (!(node.path(name) instanceof TextNode text)) {
            return node;
        }
        return shallowCopy(node).set(name, TextNode.valueOf(Normalizer.normalize(text.textValue(), keying)));
    }

    private static ObjectNode shallowCopy(JsonNode object) {
        ObjectNode copy = JSON.objectNode();
        object.properties().forEach(member -> copy.set(member.getKey(), member.getValue()));
        return copy;
    }

    private static byte[] sha256(String canonical) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
