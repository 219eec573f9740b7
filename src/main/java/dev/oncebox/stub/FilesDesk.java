package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.oncebox.stub.Multipart.Part;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** OpenAI's files: what a batch reads and what it leaves behind. */
final class FilesDesk {

    private static final Face MANNER = new ChatFace();
    private static final int MOST = 10_000;

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
        visit.memory().files().put(stored.id(), stored);
        return Served.whole(Reply.json(200, stored.view()));
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
