package dev.oncebox.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "1.0, 1",
        "1e0, 1",
        "10e-1, 1",
        "0.1E+1, 1",
        "-0, 0",
        "-0.0, 0",
        "0e5, 0",
        "0.70, 0.7",
        "7e-1, 0.7",
        "-12.50, -12.5",
        "100, 100",
        "1E2, 100",
        "0.000001, 0.000001",
        "1e-7, 1e-7",
        "0.00000012, 1.2e-7",
        "100000000000000000000, 100000000000000000000",
        "1e21, 1e21",
        "12300000000000000000000, 1.23e22",
        "9007199254740993, 9007199254740993",
        "18446744073709551615, 18446744073709551615",
        "123456789012345678901234567890, 1.2345678901234567890123456789e29",
        "0.1000000000000000055511151231257827, 0.1000000000000000055511151231257827",
        "1e999999999, 1e999999999",
        "10e-999999999, 1e-999999998",
        "1000e2147483640, 1e2147483643",
        "-1000e2147483647, -1e2147483650",
        "1.5e-2147483646, 1.5e-2147483646"
    })
    void a_number_has_one_spelling_and_is_exact(String written, String canonical) throws Exception {
        assertThat(write(written)).isEqualTo(canonical);
    }

    @Test
    void integers_that_a_double_cannot_tell_apart_are_different() throws Exception {
        assertThat(write("9007199254740993")).isNotEqualTo(write("9007199254740992"));
        assertThat(write("1" + "0".repeat(900) + "1")).isNotEqualTo(write("1" + "0".repeat(900) + "2"));
    }

    @Test
    void every_kind_of_number_node_is_the_number_it_stands_for() {
        assertThat(CanonicalJson.write(NODES.numberNode(0.7))).isEqualTo("0.7");
        assertThat(CanonicalJson.write(NODES.numberNode(0.7f))).isEqualTo("0.7");
        assertThat(CanonicalJson.write(NODES.numberNode(-0.0))).isEqualTo("0");
        assertThat(CanonicalJson.write(NODES.numberNode(1e300))).isEqualTo("1e300");
        assertThat(CanonicalJson.write(NODES.numberNode((short) 5))).isEqualTo("5");
        assertThat(CanonicalJson.write(NODES.numberNode(Long.MIN_VALUE))).isEqualTo("-9223372036854775808");
        assertThat(CanonicalJson.write(NODES.numberNode(BigInteger.TEN))).isEqualTo("10");
        assertThat(CanonicalJson.write(NODES.numberNode(new BigDecimal("1.50"))))
                .isEqualTo("1.5");
    }

    @Test
    void members_are_sorted_by_utf_16_and_white_space_is_gone() throws Exception {
        String loose =
                "{ \"b\" : [ 1 , { } , [ ] , true , false , null ] , \"a\" : { \"z\" : 1, \"\" : 2, \"A\" : 3 } }";
        assertThat(write(loose)).isEqualTo("{\"a\":{\"\":2,\"A\":3,\"z\":1},\"b\":[1,{},[],true,false,null]}");
        assertThat(write("{\"\\uffff\":1,\"\\ud83d\\ude00\":2}")).isEqualTo("{\"\ud83d\ude00\":2,\"\uffff\":1}");
    }

    @Test
    void strings_are_escaped_only_where_json_demands_it() throws Exception {
        assertThat(write("\"\\u0041\\/\\u00e9\\u2028\\ud83d\\ude00\\u007f\""))
                .isEqualTo("\"A/\u00e9\u2028\ud83d\ude00\u007f\"");
        assertThat(write("\"\\u0022\\u005c\\u0008\\u0009\\u000A\\u000C\\u000d\\u001F\\u0000\""))
                .isEqualTo("\"\\\"\\\\\\b\\t\\n\\f\\r\\u001f\\u0000\"");
    }

    @Test
    void lone_surrogates_are_told_apart() {
        assertThat(CanonicalJson.write(NODES.textNode("\ud800"))).isEqualTo("\"\\ud800\"");
        assertThat(CanonicalJson.write(NODES.textNode("\udc00\ud800"))).isEqualTo("\"\\udc00\\ud800\"");
        assertThat(CanonicalJson.write(NODES.textNode("\\ud800"))).isEqualTo("\"\\\\ud800\"");
        assertThat(CanonicalJson.write(NODES.objectNode().put("\udfff", 1))).isEqualTo("{\"\\udfff\":1}");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void a_number_that_json_does_not_have_is_refused(double number) {
        assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(NODES.numberNode(number)));
    }

    @Test
    void a_node_that_is_no_json_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(NODES.pojoNode(new Object())));
        assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.write(MissingNode.getInstance()));
    }

    @Test
    void what_a_parser_lets_in_can_be_written() throws Exception {
        String deep = "[".repeat(1000) + "]".repeat(1000);
        assertThat(write(deep)).isEqualTo(deep);
        String wide = "[" + "{\"b\":0.5,\"a\":1e5},".repeat(200_000) + "0]";
        assertThat(write(wide)).hasSize(wide.length() + 3 * 200_000);
    }

    @Property
    void any_string_comes_back_from_its_text(@ForAll String string) throws Exception {
        assertThat(MAPPER.readTree(CanonicalJson.write(NODES.textNode(string))).textValue())
                .isEqualTo(string);
    }

    @Property
    void numbers_have_the_same_text_exactly_when_they_are_equal(@ForAll BigDecimal one, @ForAll int shift)
            throws Exception {
        String text = CanonicalJson.write(NODES.numberNode(one));
        assertThat(new BigDecimal(text)).isEqualByComparingTo(one);
        assertThat(write(one.toPlainString())).isEqualTo(text);
        assertThat(write(one.setScale(one.scale() + 3).toPlainString() + "e0")).isEqualTo(text);
        BigDecimal other = one.add(BigDecimal.ONE.scaleByPowerOfTen(shift % 50));
        assertThat(CanonicalJson.write(NODES.numberNode(other))).isNotEqualTo(text);
    }

    private static String write(String json) throws JsonProcessingException {
        JsonNode value = MAPPER.readTree(json);
        return CanonicalJson.write(value);
    }
}
