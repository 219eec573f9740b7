package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.oncebox.job.Keying;
import dev.oncebox.ledger.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

class RequestKeyProperties {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final List<Keying> CONTENT_KEYINGS = List.of(Keying.WHITESPACE, Keying.LINES, Keying.EXACT);
    private static final String FULL = """
            {"system": "Be brief.", "text": "Why?", "model": "m-1", "schema": {"type": "object"}, "sample": 3,
             "params": {"temperature": 0.7, "top_k": 40, "stop": ["a", "b"], "x-new": {"deep": [1, null]}}}""";
    private static final String CHAT = """
            {"messages": [{"role": "system", "content": "Be  brief."},
              {"role": "user", "content": [{"type": "text", "text": "Why  so?"}, {"type": "image", "url": "a  b"}]},
              {"role": "assistant", "content": null, "tool_calls": [{"arguments": "{\\"a\\":  1}"}]}]}""";

    @Property
    void other_white_space_between_the_words_keeps_the_key(
            @ForAll @Size(min = 1, max = 12) List<@From("words") String> words, @ForAll Random random) {
        assertThat(key(text(spaced(words, random)), Keying.WHITESPACE))
                .isEqualTo(key(text(String.join(" ", words)), Keying.WHITESPACE));
        assertThat(key(text(spaced(words, random) + "\n```\n  code\n```"), Keying.WHITESPACE))
                .isEqualTo(key(text(String.join(" ", words) + "\r\n```\r\n  code \r\n```\r\n"), Keying.WHITESPACE));
    }

    @Property
    void joining_or_parting_words_changes_the_key(
            @ForAll @Size(min = 2, max = 12) List<@From("words") String> words, @ForAll Random random) {
        int at = random.nextInt(words.size() - 1);
        String joined =
                String.join(" ", words.subList(0, at + 1)) + String.join(" ", words.subList(at + 1, words.size()));
        assertThat(key(text(spaced(words, random)), Keying.WHITESPACE))
                .isNotEqualTo(key(text(joined), Keying.WHITESPACE));
    }

    @Property
    void indentation_of_fenced_code_changes_the_key(
            @ForAll @IntRange(max = 9) int one,
            @ForAll @IntRange(max = 9) int other,
            @ForAll("openings") String opening) {
        String pattern = "Fix\n" + opening + "\na:\n%sb\n" + opening.replace("py", "") + "\n";
        String first = key(text(pattern.formatted(" ".repeat(one))), Keying.WHITESPACE);
        String second = key(text(pattern.formatted(" ".repeat(other))), Keying.WHITESPACE);
        assertThat(first.equals(second)).isEqualTo(one == other);
    }

    @Property
    void any_changed_letter_changes_the_key(
            @ForAll("words") String word, @ForAll Random random, @ForAll("contentKeyings") Keying keying) {
        int at = random.nextInt(word.length());
        String changed = word.substring(0, at) + (char) (word.charAt(at) + 1) + word.substring(at + 1);
        assertThat(key(text(changed), keying)).isNotEqualTo(key(text(word), keying));
        assertThat(key(text(word + "\ud800"), keying)).isNotEqualTo(key(text(word + "?"), keying));
    }

    @Property
    void spelling_of_the_json_keeps_the_key(@ForAll Random random, @ForAll("contentKeyings") Keying keying)
            throws Exception {
        for (String json : List.of(FULL, CHAT)) {
            String respelled = respelled(MAPPER.readTree(json), random);
            assertThat(key(request(respelled), keying)).isEqualTo(key(request(json), keying));
        }
    }

    @Property
    void an_unknown_parameter_counts(@ForAll("words") String name, @ForAll("words") String value) {
        Request with = request("{\"text\":\"a\",\"params\":{\"" + name + "\":\"" + value + "\"}}");
        Request withNull = request("{\"text\":\"a\",\"params\":{\"" + name + "\":null}}");
        assertDistinct(Keying.WHITESPACE, List.of(text("a"), with, withNull));
    }

    @Example
    void every_member_counts_and_none_can_stand_for_another() {
        List<Request> requests = List.of(
                request(FULL),
                request(FULL.replace("brief.", "brief!")),
                request(FULL.replace("\"system\": \"Be brief.\", ", "")),
                request(FULL.replace("Be brief.", "")),
                request(FULL.replace("Why?", "why?")),
                request(FULL.replace("m-1", "m-2")),
                request(FULL.replace("\"model\": \"m-1\", ", "")),
                request(FULL.replace("object", "array")),
                request(FULL.replace("{\"type\": \"object\"}", "{}")),
                request(FULL.replace("{\"type\": \"object\"}", "null")),
                request(FULL.replace("\"schema\": {\"type\": \"object\"}, ", "")),
                request(FULL.replace("\"sample\": 3", "\"sample\": 4")),
                request(FULL.replace("\"sample\": 3", "\"sample\": \"3\"")),
                request(FULL.replace("\"sample\": 3", "\"sample\": null")),
                request(FULL.replace(", \"sample\": 3", "")),
                request(FULL.replace("0.7", "0.70000000000000001")),
                request(FULL.replace("\"temperature\": 0.7, ", "")),
                request(FULL.replace("0.7", "null")),
                request(FULL.replace("40", "\"40\"")),
                request(FULL.replace("\"a\", \"b\"", "\"b\", \"a\"")),
                request(FULL.replace("\"a\", \"b\"", "\"a  \", \"b\"")),
                request(FULL.replace("[1, null]", "[1]")),
                text("Why?"),
                text("{\"system\":\"a\"}"),
                text("a\",\"model\":\"b"),
                request("{\"text\":\"a\",\"model\":\"b\"}"),
                request("{\"system\":\"a\"}"),
                request("{\"messages\":[]}"),
                request("{\"messages\":[{\"role\":\"user\",\"content\":\"Why?\"}]}"),
                request("{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Why?\"}]}]}"));
        CONTENT_KEYINGS.forEach(keying -> assertDistinct(keying, requests));
    }

    @Example
    void the_text_of_messages_is_normalised_and_all_else_of_them_is_exact() {
        Request chat = request(CHAT);
        String key = key(chat, Keying.WHITESPACE);
        assertThat(key(request(CHAT.replace("Be  brief.", " Be\\tbrief.\\n")), Keying.WHITESPACE))
                .isEqualTo(key);
        assertThat(key(request(CHAT.replace("Why  so?", "Why so?")), Keying.WHITESPACE))
                .isEqualTo(key);
        assertThat(key(request(CHAT.replace("Why  so?", "Why so?")), Keying.LINES))
                .isNotEqualTo(key(chat, Keying.LINES));
        assertDistinct(
                Keying.WHITESPACE,
                List.of(
                        chat,
                        request(CHAT.replace("a  b", "a b")),
                        request(CHAT.replace(":  1", ": 1")),
                        request(CHAT.replace("\"assistant\"", "\"assistant \"")),
                        request(CHAT.replace("\"content\": null, ", "")),
                        request(CHAT.replace("null", "\"\""))));
        assertThat(chat).isEqualTo(request(CHAT));
    }

    @Example
    void different_keyings_and_ids_have_different_keys() {
        Set<String> keys = new HashSet<>();
        CONTENT_KEYINGS.forEach(keying -> keys.add(key(text("a"), keying)));
        keys.add(RequestKey.hex(RequestKey.ofId("job", "7")));
        keys.add(RequestKey.hex(RequestKey.ofId("job", "\"7\"")));
        keys.add(RequestKey.hex(RequestKey.ofId("job", "7.0")));
        keys.add(RequestKey.hex(RequestKey.ofId("job2", "7")));
        keys.add(RequestKey.hex(RequestKey.ofId("jo", "b7")));
        assertThat(keys).hasSize(8);
        assertThatIllegalArgumentException().isThrownBy(() -> RequestKey.of(text("a"), Keying.ID));
    }

    /** If this fails, every ledger in the world would pay again: raise {@link RequestKey#VERSION} and migrate. */
    @Example
    void the_keys_of_version_1_stay_what_they_are() {
        assertThat(RequestKey.VERSION).isEqualTo(1);
        assertThat(RequestKey.canonical(request(FULL), Keying.WHITESPACE))
                .isEqualTo("{\"keying\":\"whitespace\",\"model\":\"m-1\",\"params\":{\"stop\":[\"a\",\"b\"],"
                        + "\"temperature\":0.7,\"top_k\":40,\"x-new\":{\"deep\":[1,null]}},\"sample\":3,"
                        + "\"schema\":{\"type\":\"object\"},\"system\":\"Be brief.\",\"text\":\"Why?\",\"v\":1}");
        assertThat(key(request(FULL), Keying.WHITESPACE))
                .isEqualTo("f99d28c4255cb04060b3809910aa1158a3b7fd25013d8e5edccc74f993af3e65");
        assertThat(key(request(CHAT), Keying.LINES))
                .isEqualTo("4718cbb0dd14334098c70fb7d84b0e51e4b11282f69b3610ddecbcd2f7a95fe2");
        assertThat(key(text(" Cafe\u0301 \r\n\n- ```py\n   a \n  ```\n\n\u2028 \ud83d\ude00"), Keying.WHITESPACE))
                .isEqualTo("da20af3215402fb6e8496ae4500c42628b7eb1c84b9ad23e442039988fe5bf3f");
        assertThat(key(text(" Cafe\u0301 \ud83d\r\n"), Keying.EXACT))
                .isEqualTo("befba54159477f7ca879f027d32e6c1e304afb4f501f53a5073125c0272fb999");
        assertThat(RequestKey.hex(RequestKey.ofId("default", "\"a-1\"")))
                .isEqualTo("b6f5fa4eb9663ba228075349ef1cdf6a4eecbff42704b2bfed99c2e50bd1af2a");
    }

    @Example
    void a_key_is_read_back_from_its_digits_and_anything_else_is_refused_in_a_sentence() {
        byte[] key = RequestKey.of(text("a"), Keying.EXACT);
        String hex = RequestKey.hex(key);
        assertThat(hex).matches("[0-9a-f]{64}");
        assertThat(RequestKey.parse(hex)).isEqualTo(key);
        assertThat(RequestKey.parse(hex.toUpperCase(Locale.ROOT))).isEqualTo(key);
        for (String wrong : List.of("", "abc", hex + "0", hex.substring(1), "x" + hex.substring(1), "９".repeat(64))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RequestKey.parse(wrong))
                    .withMessageContaining("64 hexadecimal digits");
        }
    }

    @Provide
    Arbitrary<String> words() {
        return Arbitraries.strings()
                .withCharRange('a', 'y')
                .withChars("ABC.,\u00e9\u4e00")
                .ofMinLength(1)
                .ofMaxLength(8);
    }

    @Provide
    Arbitrary<String> openings() {
        return Arbitraries.of("```py", "~~~~ py", "  ```py", "\t```", "\u00a0~~~", "````");
    }

    @Provide
    Arbitrary<Keying> contentKeyings() {
        return Arbitraries.of(CONTENT_KEYINGS);
    }

    private static void assertDistinct(Keying keying, List<Request> requests) {
        assertThat(requests).extracting(request -> key(request, keying)).doesNotHaveDuplicates();
    }

    private static String key(Request request, Keying keying) {
        return RequestKey.hex(RequestKey.of(request, keying));
    }

    private static String spaced(List<String> words, Random random) {
        StringBuilder out = new StringBuilder(white(random, 0));
        words.forEach(word -> out.append(word).append(white(random, 1)));
        return out.toString();
    }

    private static String white(Random random, int min) {
        StringBuilder out = new StringBuilder();
        for (int i = random.nextInt(4) + min; i > 0; i--) {
            out.append(NormalizerProperties.WHITE.charAt(random.nextInt(NormalizerProperties.WHITE.length())));
        }
        return out.toString();
    }

    private static String respelled(JsonNode value, Random random) {
        StringBuilder out = new StringBuilder();
        if (value.isObject()) {
            List<Map.Entry<String, JsonNode>> members = new ArrayList<>(value.properties());
            Collections.shuffle(members, random);
            members.forEach(member -> out.append(out.isEmpty() ? "" : " ,")
                    .append(escaped(member.getKey(), random))
                    .append(" :\t")
                    .append(respelled(member.getValue(), random)));
            return "{ " + out + "\n}";
        } else if (value.isArray()) {
            value.forEach(element -> out.append(out.isEmpty() ? "" : ", ").append(respelled(element, random)));
            return "[" + out + " ]";
        } else if (value.isNumber()) {
            int shift = random.nextInt(9) - 4;
            return value.decimalValue().scaleByPowerOfTen(shift).toPlainString() + "e" + -shift;
        }
        return value.isTextual() ? escaped(value.textValue(), random) : value.toString();
    }

    private static String escaped(String string, Random random) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : string.toCharArray()) {
            out.append(c == '"' || random.nextBoolean() ? "\\u%04x".formatted((int) c) : "" + c);
        }
        return out.append('"').toString();
    }

    private static Request text(String text) {
        return new Request(null, text, null, null, new TreeMap<>(), null, null);
    }

    private static Request request(String json) {
        try {
            JsonNode root = MAPPER.readTree(json);
            SortedMap<String, JsonNode> params = new TreeMap<>();
            root.path("params").properties().forEach(member -> params.put(member.getKey(), member.getValue()));
            return new Request(
                    string(root, "system"),
                    string(root, "text"),
                    (ArrayNode) root.get("messages"),
                    string(root, "model"),
                    params,
                    root.get("schema"),
                    root.get("sample"));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static @Nullable String string(JsonNode root, String name) {
        return root.has(name) ? root.get(name).textValue() : null;
    }
}
