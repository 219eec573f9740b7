package dev.oncebox.stub;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** A file that was uploaded, or that a batch left behind. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record StoredFile(String id, String name, String purpose, byte[] content, Instant created, Troubles troubles) {

    ObjectNode view() {
        return Json.object()
                .put("id", id)
                .put("object", "file")
                .put("bytes", content.length)
                .put("created_at", created.getEpochSecond())
                .putNull("expires_at")
                .put("filename", name)
                .put("purpose", purpose)
                .put("status", "processed")
                .putNull("status_details");
    }
}
