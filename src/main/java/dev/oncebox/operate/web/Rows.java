package dev.oncebox.operate.web;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes replies of HTTP out of what a route found. Stateless. */
public final class Rows {

    private static final Logger LOG = LoggerFactory.getLogger(Rows.class);
    private static final String FILE = "file";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    /** What is no number in the place of a file's is the number of none: a database may not be asked for it. */
    public void numbered(Exchange exchange) {
        String file = exchange.getMessage().getHeader(FILE, "", String.class);
        if (!NUMBER.matcher(file).matches()) {
            exchange.getMessage().setHeader(FILE, "-1");
        }
    }

    /** The rows of a query as a JSON array; bytes are keys, written in hexadecimal. */
    public void all(Exchange exchange, List<Map<String, @Nullable Object>> rows) throws JsonProcessingException {
        reply(
                exchange,
                200,
                JSON.writeValueAsString(rows.stream().map(Rows::shown).toList()));
    }

    /** The only row of a query as a JSON object. */
    public void one(Exchange exchange, List<Map<String, @Nullable Object>> rows) throws JsonProcessingException {
        if (rows.isEmpty()) {
            reply(exchange, 404, Replies.error("There is nothing of that name."));
        } else {
            reply(exchange, 200, JSON.writeValueAsString(shown(rows.get(0))));
        }
    }

    private static Map<String, @Nullable Object> shown(Map<String, @Nullable Object> row) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        row.forEach((column, value) ->
                shown.put(column, value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value));
        return shown;
    }

    /** A question that could not be answered changed nothing; what was asked is in no error. */
    public void failed(Exchange exchange) {
        LOG.warn(
                "{} could not be answered: {}",
                exchange.getFromRouteId(),
                String.valueOf(exchange.getProperty(Exchange.EXCEPTION_CAUGHT)));
        reply(exchange, 503, Replies.error("This cannot be answered at the moment; the log says why."));
    }

    static void reply(Exchange exchange, int status, String json) {
        Message message = exchange.getMessage();
        message.removeHeaders("*");
        message.setHeader(Exchange.HTTP_RESPONSE_CODE, status);
        message.setHeader(Exchange.CONTENT_TYPE, "application/json");
        message.setBody(json);
    }
}
