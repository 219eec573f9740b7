package dev.oncebox.stub;

import java.util.List;

/** All paths of the faces. */
final class Routes {

    private static final Face CHAT = new ChatFace();
    private static final Face MESSAGES = new MessagesFace();
    private static final Face SUMMARIZE = new SummarizeFace();
    private static final Face RESPONSES = ResponsesDesk.FACE;

    static final List<Route> ALL = List.of(
            Route.direct("/v1/chat/completions", CHAT),
            Route.direct("/v1/messages", MESSAGES),
            Route.direct("/api/chat", new OllamaFace()),
            Route.direct("/summarize", SUMMARIZE),
            Route.paid("/jobs", SUMMARIZE, JobsDesk::create),
            Route.free("GET", "/jobs/{id}", SUMMARIZE, JobsDesk::poll),
            Route.free("GET", "/elsewhere/{id}", SUMMARIZE, JobsDesk::poll),
            Route.free("GET", "/results/{id}", SUMMARIZE, JobsDesk::result),
            Route.paid("/v1/responses", RESPONSES, ResponsesDesk::create),
            Route.free("GET", "/v1/responses/{id}", RESPONSES, ResponsesDesk::poll),
            Route.free("POST", "/v1/responses/{id}/cancel", RESPONSES, ResponsesDesk::cancel),
            Route.free("POST", "/v1/files", CHAT, FilesDesk::upload),
            Route.free("GET", "/v1/files", CHAT, FilesDesk::list),
            Route.free("GET", "/v1/files/{id}", CHAT, FilesDesk::get),
            Route.free("DELETE", "/v1/files/{id}", CHAT, FilesDesk::delete),
            Route.free("GET", "/v1/files/{id}/content", CHAT, FilesDesk::content),
            Route.paid("/v1/batches", CHAT, OpenAiBatchesDesk::create),
            Route.free("GET", "/v1/batches", CHAT, OpenAiBatchesDesk::list),
            Route.free("GET", "/v1/batches/{id}", CHAT, OpenAiBatchesDesk::poll),
            Route.free("POST", "/v1/batches/{id}/cancel", CHAT, OpenAiBatchesDesk::cancel),
            Route.paid("/v1/messages/batches", MESSAGES, MessageBatchesDesk::create),
            Route.free("GET", "/v1/messages/batches", MESSAGES, MessageBatchesDesk::list),
            Route.free("GET", "/v1/messages/batches/{id}", MESSAGES, MessageBatchesDesk::poll),
            Route.free("GET", "/v1/messages/batches/{id}/results", MESSAGES, MessageBatchesDesk::results),
            Route.free("POST", "/v1/messages/batches/{id}/cancel", MESSAGES, MessageBatchesDesk::cancel));

    private Routes() {}
}
