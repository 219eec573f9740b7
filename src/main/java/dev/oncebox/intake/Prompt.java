package dev.oncebox.intake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import com.samskivert.mustache.Template;
import dev.oncebox.config.ConfigException;
import dev.oncebox.job.Job;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job's prompt template, filled in with an item's fields: Mustache, nothing escaped, and a field that is not there is
 * an error rather than a gap. What an item brings is never read as a template itself.
 */
final class Prompt {

    /** The template that is the item's text and nothing else needs no engine. */
    private static final String BARE = "{{text}}";

    private final @Nullable Template template;

    Prompt(Job job) {
        try {
            template = job.prompt().equals(BARE)
                    ? null
                    : Mustache.compiler()
                            .escapeHTML(false)
                            .withFormatter(Prompt::written)
                            .withLoader(name -> {
                                throw new MustacheException("{{>" + name + "}}: a prompt cannot include other files");
                            })
                            .compile(job.prompt());
        } catch (MustacheException e) {
            throw new ConfigException("config/jobs/" + job.name() + "/prompt.md: " + e.getMessage());
        }
    }

    /** Fills the template in. */
    String render(Item.Readable item) throws MissingField {
        if (template == null) {
            if (item.text() == null) {
                throw new MissingField("None of the columns is named text. Name one so, or say in the job's prompt.md"
                        + " what is asked, with {{the names of columns}}.");
            }
            return item.text();
        }
        try {
            return template.execute(members(item.fields()));
        } catch (MustacheException.Context e) {
            throw new MissingField("The prompt uses {{" + e.key + "}}, but this item has no such field. Add the field,"
                    + " or change prompt.md.");
        } catch (MustacheException e) {
            throw new MissingField("The prompt cannot be filled in with this item: " + e.getMessage());
        }
    }

    private static Map<String, Object> members(JsonNode object) {
        Map<String, Object> members = new LinkedHashMap<>();
        object.fields().forEachRemaining(member -> {
            Object value = plain(member.getValue());
            if (value != null) {
                members.put(member.getKey(), value);
            }
        });
        return members;
    }

    /** Lists and objects may be walked by the template; printed whole, they are JSON. */
    private static @Nullable Object plain(JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (value.isTextual()) {
            return value.textValue();
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value instanceof ObjectNode) {
            return new Members(value);
        }
        if (value.isArray()) {
            return new Elements(value);
        }
        return value.asText();
    }

    private static String written(Object value) {
        return String.valueOf(value);
    }

    private static final class Members extends LinkedHashMap<String, Object> {
        private static final long serialVersionUID = 1;
        private final String json;

        Members(JsonNode object) {
            super(members(object));
            this.json = object.toString();
        }

        @Override
        public String toString() {
            return json;
        }
    }

    private static final class Elements extends ArrayList<Object> {
        private static final long serialVersionUID = 1;
        private final String json;

        Elements(JsonNode array) {
            super(plainElements(array));
            this.json = array.toString();
        }

        @Override
        public String toString() {
            return json;
        }
    }

    private static List<Object> plainElements(JsonNode array) {
        List<Object> elements = new ArrayList<>(array.size());
        array.forEach(element -> {
            Object value = plain(element);
            elements.add(value == null ? "" : value);
        });
        return elements;
    }

    /** An item lacks what the prompt needs. */
    static final class MissingField extends Exception {
        private static final long serialVersionUID = 1;

        MissingField(String message) {
            super(message);
        }
    }
}
