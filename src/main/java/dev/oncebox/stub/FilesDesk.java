package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Multipart.Part;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** OpenAI's files: what a batch reads and what it leaves behind. */
final class FilesDesk {

    private static final Face MANNER = new ChatFace();
    private static final int MOST = 10_000;

    private static final Pattern UPLOAD = Pattern.compile("\\[\\[stub:[^\\]]*\\bupload=[^\\]]*]]");

    private FilesDesk() {}

    static Served upload(Visit visit) throws BadRequest {
        Multipart parts = Multipart.of(visit.request());
        Part file = parts.part("file");
        String purpose = parts.part("purpose").text();
        if (file.filename().isEmpty()) {
            throw new BadRequest("The part 'file' has no filename");
        }
        StoredFile stored = new StoredFile(
                Shelf.newId("file-"), file.filename(), purpose, file.content(), Instant.now(), new Troubles(List.of()));
        Step trouble = trouble(visit, file);
        if (trouble.accepts()) {
            visit.memory().files().put(stored.id(), stored);
        }
        return Replies.troubled(MANNER, trouble, () -> Reply.json(200, stored.view()));
    }

    /** What the first directive that is about uploading asks for; each upload with the same directive is a turn. */
    private static Step trouble(Visit visit, Part file) throws BadRequest {
        Matcher directive = UPLOAD.matcher(new String(file.content(), StandardCharsets.ISO_8859_1));
        if (!directive.find()) {
            return Step.GOOD;
        }
        int turn = visit.memory().tally().turn("upload " + directive.group());
        List<Step> troubles = Script.of(directive.group()).step(turn).later().troubles("upload");
        return troubles.isEmpty() ? Step.GOOD : troubles.get(0);
    }

    static Served list(Visit visit) throws BadRequest {
        String purpose = visit.request().parameter("purpose", "");
        List<StoredFile> files = visit.memory().files().newestFirst().stream()
                .filter(file -> purpose.isEmpty() || file.purpose().equals(purpose))
                .toList();
        ObjectNode page =
                Listing.of(visit.request(), "after", MOST, MOST).page(files, StoredFile::id, StoredFile::view);
        return Served.whole(Reply.json(200, page.put("object", "list")));
    }

    static Served get(Visit visit) throws BadRequest {
        return Served.whole(Reply.json(200, find(visit).view()));
    }

    static Served content(Visit visit) throws BadRequest {
        StoredFile file = find(visit);
        Reply content = new Reply(200, Map.of("Content-Type", "application/octet-stream"), file.content());
        return Replies.troubled(MANNER, file.troubles().next(), () -> content);
    }

    static Served delete(Visit visit) throws BadRequest {
        StoredFile file = find(visit);
        visit.memory().files().remove(file.id());
        return Served.whole(Reply.json(
                200, Json.object().put("id", file.id()).put("object", "file").put("deleted", true)));
    }

    private static StoredFile find(Visit visit) throws BadRequest {
        return visit.memory()
                .files()
                .find(visit.id())
                .orElseThrow(() -> new BadRequest(404, "No such File object: " + visit.id()));
    }
}
