package dev.oncebox.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.ExecutionContextCustomizer;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaException;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaId;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import com.networknt.schema.resource.AllowSchemaLoader;
import dev.oncebox.config.ConfigException;
import dev.oncebox.ledger.Shown;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A job's schema, checked and ready. Nothing is ever loaded from the network or from other files. */
final class AnswerSchema {

    private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
    /** Where the library keeps the dialect's own schemas. */
    private static final String BUNDLED = "classpath:draft/2020-12/";
    /** Powers of ten beyond which the arithmetic of {@code multipleOf} and the like would not come to an end. */
    private static final int LARGEST_EXPONENT = 1000;

    private static final SchemaValidatorsConfig CONFIG = SchemaValidatorsConfig.builder()
            .pathType(PathType.JSON_POINTER)
            .locale(Locale.ROOT)
            .build();
    private static final ExecutionContextCustomizer WITH_FORMATS =
            (context, validation) -> context.getExecutionConfig().setFormatAssertionsEnabled(true);
    private static final JsonSchema META = factory().getSchema(SchemaLocation.of(SchemaId.V202012), CONFIG);

    private final JsonSchema schema;

    private AnswerSchema(JsonSchema schema) {
        this.schema = schema;
    }

    /**
     * Checks a schema and makes it ready.
     *
     * @param where the file's name, for people
     * @throws ConfigException naming the file and the place in it
     */
    static AnswerSchema compile(String where, JsonNode source) {
        if (!source.isObject() && !source.isBoolean()) {
            throw new ConfigException(where + ": a JSON Schema is an object, such as {\"type\": \"object\"}.");
        }
        JsonNode dialect = source.path("$schema");
        if (dialect.isTextual() && !dialect.textValue().replaceFirst("#$", "").equals(DIALECT)) {
            throw new ConfigException(where + ": /$schema: " + Shown.quoted(dialect.textValue(), 100)
                    + " is not supported. Write the schema for " + DIALECT + ", or leave $schema out.");
        }
        for (ValidationMessage problem : META.validate(source, WITH_FORMATS)) {
            throw new ConfigException(
                    where + ": " + pointer(problem) + ": " + Shown.clipped(problem.getError(), 300) + ".");
        }
        try {
            JsonSchema schema = factory().getSchema(source, CONFIG);
            schema.initializeValidators();
            return new AnswerSchema(schema);
        } catch (JsonSchemaException e) {
            throw new ConfigException(where + ": " + reason(source, e));
        } catch (StackOverflowError e) {
            throw new ConfigException(where + ": it is nested too deeply, or its references go in circles.");
        }
    }

    /** A factory of its own for every schema, so that two with the same {@code $id} do not mix. */
    private static JsonSchemaFactory factory() {
        return JsonSchemaFactory.getInstance(
                VersionFlag.V202012,
                builder -> builder.schemaLoaders(loaders ->
                        loaders.add(new AllowSchemaLoader(iri -> iri.toString().startsWith(BUNDLED)))));
    }

    private static String reason(JsonNode source, JsonSchemaException e) {
        String reference = unresolved(source, "", String.valueOf(e.getMessage()));
        if (reference != null) {
            return reference;
        }
        return Shown.clipped(String.valueOf(e.getMessage()), 300).replaceFirst("^: ", "") + ".";
    }

    /** Which reference the library means when it only gives the target. */
    private static @Nullable String unresolved(JsonNode node, String path, String message) {
        for (String keyword : List.of("$ref", "$dynamicRef")) {
            String target = node.path(keyword).textValue();
            if (target == null) {
                continue;
            }
            String place = path + "/" + keyword + ": ";
            if (target.startsWith("#") && target.length() > 1 && message.contains(target.substring(1) + " ")) {
                return place + Shown.quoted(target, 100) + " is not in this schema.";
            }
            if (!target.startsWith("#") && message.contains(target.replaceFirst("#.*", ""))) {
                return place + Shown.quoted(target, 100)
                        + " is not loaded from elsewhere. Copy it under $defs and refer to it as #/$defs/….";
            }
        }
        if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                String found = unresolved(node.get(i), path + "/" + i, message);
                if (found != null) {
                    return found;
                }
            }
        }
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            String found = unresolved(member.getValue(), path + "/" + escaped(member.getKey()), message);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** What an answer does wrong, each with its place in the answer; empty when it meets the schema. */
    List<String> violations(JsonNode answer) {
        String absurd = absurdNumber(answer, "");
        if (absurd != null) {
            return List.of(absurd + ": a number of more than " + LARGEST_EXPONENT + " digits is not checked");
        }
        try {
            return schema.validate(answer).stream()
                    .map(problem -> pointer(problem) + ": " + problem.getError())
                    .distinct()
                    .toList();
        } catch (JsonSchemaException e) {
            return List.of("the whole answer: it cannot be checked: " + e.getMessage());
        } catch (StackOverflowError e) {
            return List.of("the whole answer: it is nested too deeply to be checked");
        }
    }

    private static @Nullable String absurdNumber(JsonNode node, String path) {
        if (node.isBigDecimal()) {
            int scale = node.decimalValue().scale();
            return scale > LARGEST_EXPONENT || scale < -LARGEST_EXPONENT ? path : null;
        }
        if (node.isArray()) {
            for (int i = 0; i < node.size(); i++) {
                String found = absurdNumber(node.get(i), path + "/" + i);
                if (found != null) {
                    return found;
                }
            }
        }
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            String found = absurdNumber(member.getValue(), path + "/" + escaped(member.getKey()));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    /** The root's pointer is an empty text, which nobody would see. */
    private static String pointer(ValidationMessage problem) {
        String pointer = problem.getInstanceLocation().toString();
        return pointer.isEmpty() ? "at the top" : pointer;
    }
}
