package dev.oncebox.outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the files of a delivery looked to the file system when they had become durable. As long as they look so, nobody
 * has written to them, replaced or deleted one, and they need not be written again to be compared.
 */
final class Seal {

    private static final JsonMapper JSON = new JsonMapper();
    private static final TypeReference<Map<String, String>> STAMPS = new TypeReference<>() {};

    private Seal() {}

    /**
     * The seal of files in a folder, JSON; null where the file system does not tell enough.
     *
     * @throws IOException when one of them is not there any more
     */
    static @Nullable String of(Path folder, List<String> names) throws IOException {
        Map<String, String> stamps = new LinkedHashMap<>();
        for (String name : names) {
            stamps.put(name, stamp(folder.resolve(name)));
        }
        return stamps.containsValue(null) ? null : JSON.writeValueAsString(stamps);
    }

    /** Whether all files look as they did. */
    static boolean holds(@Nullable String seal, Path folder) {
        if (seal == null) {
            return false;
        }
        try {
            for (Map.Entry<String, String> file : JSON.readValue(seal, STAMPS).entrySet()) {
                if (!file.getValue().equals(stamp(folder.resolve(file.getKey())))) {
                    return false;
                }
            }
            return true;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no seal: " + seal, e);
        } catch (IOException gone) {
            return false;
        }
    }

    /** The time of the last change is nobody's to set: it moves when the content, the name or the owner does. */
    private static @Nullable String stamp(Path file) throws IOException {
        try {
            Map<String, Object> read =
                    Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
            return read.get("ino") + " " + read.get("size") + " " + read.get("lastModifiedTime") + " "
                    + read.get("ctime");
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return null;
        }
    }
}
