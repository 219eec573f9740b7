-- Calls that were submitted together, under our own handle, which the provider is given with them.
-- SENT: the submission is under way, or nobody knows what became of it, and it is looked for.
CREATE TABLE batch (
  id      INTEGER PRIMARY KEY,
  handle  TEXT    NOT NULL UNIQUE,
  engine  TEXT    NOT NULL,
  state   TEXT    NOT NULL CHECK (state IN ('GATHERED', 'SENT', 'POLLING', 'ENDED')),
  due     INTEGER NOT NULL DEFAULT 0,
  calls   INTEGER NOT NULL,
  created INTEGER NOT NULL,
  sent    INTEGER NOT NULL DEFAULT 0,
  remote  TEXT,
  seen    INTEGER NOT NULL DEFAULT 0,
  said    TEXT
);
CREATE INDEX batch_due ON batch (engine, due) WHERE state IN ('SENT', 'POLLING');

-- remote: where an asynchronous engine is asked for the call's answer. seen: when the engine last knew of it.
ALTER TABLE call ADD COLUMN seen  INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN batch INTEGER REFERENCES batch;
CREATE INDEX call_polling ON call (engine, due, id) WHERE state = 'POLLING' AND batch IS NULL;
CREATE INDEX call_batch   ON call (batch) WHERE batch IS NOT NULL;

-- The file that shows where the answer of a dropped file's only item is asked for, by its name below the outbox, until
-- the answer lands; due: it is to be written (again).
ALTER TABLE file ADD COLUMN sidecar     TEXT;
ALTER TABLE file ADD COLUMN sidecar_due INTEGER NOT NULL DEFAULT 0;
CREATE INDEX file_sidecar ON file (id) WHERE sidecar_due = 1;

-- The provider's own id of an attempt, where its reply had one: what its support and its bill go by.
ALTER TABLE event ADD COLUMN request_id TEXT;
