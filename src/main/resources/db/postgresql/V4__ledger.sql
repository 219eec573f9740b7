-- The tables of SQLite's version 4, in one step. Times are epoch milliseconds, keys and digests 32 bytes, prices
-- billionths of the price's currency. What is said there of a table holds here too.

CREATE TABLE node (
  id        BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  boot      TEXT    NOT NULL UNIQUE,
  host      TEXT    NOT NULL,
  pid       BIGINT  NOT NULL,
  started   BIGINT  NOT NULL,
  lease     BIGINT  NOT NULL,
  ended     BIGINT,
  recovered INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE job (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        TEXT   NOT NULL,
  fingerprint BYTEA  NOT NULL,
  definition  TEXT   NOT NULL,
  UNIQUE (name, fingerprint)
);

CREATE TABLE file (
  id          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  path        TEXT    NOT NULL,
  job         BIGINT  NOT NULL REFERENCES job,
  kind        TEXT    NOT NULL,
  sha256      BYTEA   NOT NULL,
  state       TEXT    NOT NULL CHECK (state IN ('TAKING', 'TAKEN', 'DELIVERED')),
  archived    INTEGER NOT NULL DEFAULT 0,
  items       BIGINT  NOT NULL DEFAULT 0,
  invalid     BIGINT  NOT NULL DEFAULT 0,
  pending     BIGINT  NOT NULL DEFAULT 0,
  received    BIGINT  NOT NULL,
  delivered   BIGINT,
  output      TEXT,
  sidecar     TEXT,
  sidecar_due INTEGER NOT NULL DEFAULT 0,
  UNIQUE (path, sha256, job)
);
CREATE INDEX file_settled  ON file (id) WHERE state = 'TAKEN' AND pending = 0;
CREATE INDEX file_archived ON file (id) WHERE archived = 0;
CREATE INDEX file_sidecar  ON file (id) WHERE sidecar_due = 1;

CREATE TABLE batch (
  id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  handle  TEXT   NOT NULL UNIQUE,
  engine  TEXT   NOT NULL,
  state   TEXT   NOT NULL CHECK (state IN ('GATHERED', 'SENT', 'POLLING', 'ENDED')),
  due     BIGINT NOT NULL DEFAULT 0,
  calls   BIGINT NOT NULL,
  created BIGINT NOT NULL,
  sent    BIGINT NOT NULL DEFAULT 0,
  remote  TEXT,
  seen    BIGINT NOT NULL DEFAULT 0,
  said    TEXT
);
CREATE INDEX batch_due ON batch (engine, due) WHERE state IN ('SENT', 'POLLING');

CREATE TABLE call (
  id            BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key           BYTEA   NOT NULL UNIQUE,
  key_version   INTEGER NOT NULL,
  content       BYTEA   NOT NULL,
  job           BIGINT  NOT NULL REFERENCES job,
  engine        TEXT    NOT NULL,
  state         TEXT    NOT NULL CHECK (state IN ('READY', 'CLAIMED', 'SENT', 'POLLING', 'DONE', 'DOUBT', 'DEAD')),
  due           BIGINT  NOT NULL,
  owner         BIGINT  REFERENCES node,
  fence         BIGINT  NOT NULL DEFAULT 0,
  sends         INTEGER NOT NULL DEFAULT 0,
  attempts      INTEGER NOT NULL DEFAULT 0,
  earlier       INTEGER NOT NULL DEFAULT 0,
  unresolved    INTEGER NOT NULL DEFAULT 0,
  doubts        INTEGER NOT NULL DEFAULT 0,
  failures      INTEGER NOT NULL DEFAULT 0,
  refused_since BIGINT  NOT NULL DEFAULT 0,
  created       BIGINT  NOT NULL,
  sent          BIGINT  NOT NULL DEFAULT 0,
  ended         BIGINT  NOT NULL DEFAULT 0,
  model         TEXT,
  finish        TEXT,
  usage         TEXT,
  input_tokens  BIGINT,
  output_tokens BIGINT,
  cost          BIGINT,
  remote        TEXT,
  seen          BIGINT  NOT NULL DEFAULT 0,
  batch         BIGINT  REFERENCES batch,
  code          TEXT,
  reason        TEXT
);
CREATE INDEX call_due     ON call (engine, due, id) WHERE state = 'READY';
CREATE INDEX call_state   ON call (state);
CREATE INDEX call_polling ON call (engine, due, id) WHERE state = 'POLLING' AND batch IS NULL;
CREATE INDEX call_batch   ON call (batch) WHERE batch IS NOT NULL;

CREATE TABLE request (
  call BIGINT PRIMARY KEY REFERENCES call,
  body BYTEA  NOT NULL
);
CREATE TABLE answer (
  call BIGINT  PRIMARY KEY REFERENCES call,
  json INTEGER NOT NULL,
  body BYTEA   NOT NULL
);
CREATE TABLE reply (
  id     BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  call   BIGINT  NOT NULL REFERENCES call,
  send   INTEGER NOT NULL,
  at     BIGINT  NOT NULL,
  status INTEGER NOT NULL,
  body   BYTEA   NOT NULL
);
CREATE INDEX reply_call ON reply (call);

CREATE TABLE item (
  file     BIGINT  NOT NULL REFERENCES file,
  n        BIGINT  NOT NULL,
  line     BIGINT  NOT NULL,
  "offset" BIGINT  NOT NULL,
  id       TEXT,
  call     BIGINT  REFERENCES call,
  fresh    INTEGER NOT NULL DEFAULT 0,
  variant  INTEGER NOT NULL DEFAULT 0,
  code     TEXT,
  message  TEXT,
  PRIMARY KEY (file, n)
);
CREATE INDEX item_call ON item (call) WHERE call IS NOT NULL;
CREATE INDEX item_id   ON item (file, id) WHERE id IS NOT NULL;

CREATE TABLE source (
  file BIGINT NOT NULL REFERENCES file,
  n    BIGINT NOT NULL,
  body BYTEA  NOT NULL,
  UNIQUE (file, n)
);

CREATE TABLE event (
  seq        BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         BIGINT  NOT NULL,
  node       BIGINT,
  call       BIGINT  REFERENCES call,
  file       BIGINT  REFERENCES file,
  fence      BIGINT,
  attempt    INTEGER,
  kind       TEXT    NOT NULL,
  engine     TEXT,
  charged    TEXT,
  cost       BIGINT,
  request_id TEXT,
  detail     TEXT
);
CREATE INDEX event_call    ON event (call) WHERE call IS NOT NULL;
CREATE INDEX event_file    ON event (file) WHERE file IS NOT NULL;
CREATE INDEX event_charged ON event (at) WHERE charged IN ('YES', 'UNKNOWN');

CREATE TABLE pause (
  name   TEXT   PRIMARY KEY,
  state  TEXT   NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),
  since  BIGINT NOT NULL,
  until  BIGINT NOT NULL,
  reason TEXT   NOT NULL
);
