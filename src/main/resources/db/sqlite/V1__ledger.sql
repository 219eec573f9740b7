-- Times are epoch milliseconds, keys and digests 32 bytes, prices billionths of the price's currency.

CREATE TABLE node (
  id         INTEGER PRIMARY KEY,
  boot       TEXT    NOT NULL UNIQUE,
  host       TEXT    NOT NULL,
  pid        INTEGER NOT NULL,
  started    INTEGER NOT NULL,
  lease      INTEGER NOT NULL,
  ended      INTEGER
);

-- Every version of a job that requests were made under.
CREATE TABLE job (
  id          INTEGER PRIMARY KEY,
  name        TEXT    NOT NULL,
  fingerprint BLOB    NOT NULL,
  definition  TEXT    NOT NULL,
  UNIQUE (name, fingerprint)
);

-- The same bytes at the same place under the same job are the same file.
-- pending counts the items whose call has not ended.
CREATE TABLE file (
  id        INTEGER PRIMARY KEY,
  path      TEXT    NOT NULL,
  job       INTEGER NOT NULL REFERENCES job,
  kind      TEXT    NOT NULL,
  sha256    BLOB    NOT NULL,
  state     TEXT    NOT NULL CHECK (state IN ('TAKING', 'TAKEN', 'DELIVERED')),
  archived  INTEGER NOT NULL DEFAULT 0,
  items     INTEGER NOT NULL DEFAULT 0,
  invalid   INTEGER NOT NULL DEFAULT 0,
  pending   INTEGER NOT NULL DEFAULT 0,
  received  INTEGER NOT NULL,
  delivered INTEGER,
  output    TEXT,
  UNIQUE (path, sha256, job)
);
CREATE INDEX file_settled  ON file (id) WHERE state = 'TAKEN' AND pending = 0;
CREATE INDEX file_archived ON file (id) WHERE archived = 0;

CREATE TABLE call (
  id            INTEGER PRIMARY KEY,
  key           BLOB    NOT NULL UNIQUE,
  key_version   INTEGER NOT NULL,
  content       BLOB    NOT NULL,
  job           INTEGER NOT NULL REFERENCES job,
  engine        TEXT    NOT NULL,
  state         TEXT    NOT NULL CHECK (state IN ('READY', 'CLAIMED', 'SENT', 'POLLING', 'DONE', 'DOUBT', 'DEAD')),
  due           INTEGER NOT NULL,
  owner         INTEGER REFERENCES node,
  fence         INTEGER NOT NULL DEFAULT 0,
  sends         INTEGER NOT NULL DEFAULT 0,
  attempts      INTEGER NOT NULL DEFAULT 0,
  doubts        INTEGER NOT NULL DEFAULT 0,
  failures      INTEGER NOT NULL DEFAULT 0,
  refused_since INTEGER NOT NULL DEFAULT 0,
  created       INTEGER NOT NULL,
  sent          INTEGER NOT NULL DEFAULT 0,
  ended         INTEGER NOT NULL DEFAULT 0,
  model         TEXT,
  finish        TEXT,
  usage         TEXT,
  input_tokens  INTEGER,
  output_tokens INTEGER,
  cost          INTEGER,
  remote        TEXT,
  code          TEXT,
  reason        TEXT
);
CREATE INDEX call_due   ON call (engine, due, id) WHERE state = 'READY';
CREATE INDEX call_state ON call (state);

-- Large columns stand apart, so that a change of state does not rewrite them. Packed: see Packed.java.
CREATE TABLE request (
  call INTEGER PRIMARY KEY REFERENCES call,
  body BLOB NOT NULL
);
CREATE TABLE answer (
  call INTEGER PRIMARY KEY REFERENCES call,
  json INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE TABLE reply (
  id     INTEGER PRIMARY KEY,
  call   INTEGER NOT NULL REFERENCES call,
  send   INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  status INTEGER NOT NULL,
  body   BLOB    NOT NULL
);
CREATE INDEX reply_call ON reply (call);

-- id is the client's, as JSON text; NULL: it gave none. fresh: this item caused its call.
CREATE TABLE item (
  file    INTEGER NOT NULL REFERENCES file,
  n       INTEGER NOT NULL,
  line    INTEGER NOT NULL,
  offset  INTEGER NOT NULL,
  id      TEXT,
  call    INTEGER REFERENCES call,
  fresh   INTEGER NOT NULL DEFAULT 0,
  variant INTEGER NOT NULL DEFAULT 0,
  code    TEXT,
  message TEXT,
  PRIMARY KEY (file, n)
) WITHOUT ROWID;
CREATE INDEX item_call ON item (call) WHERE call IS NOT NULL;
CREATE INDEX item_id   ON item (file, id) WHERE id IS NOT NULL;

-- The journal: only ever added to.
CREATE TABLE event (
  seq     INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  node    INTEGER,
  call    INTEGER REFERENCES call,
  file    INTEGER REFERENCES file,
  fence   INTEGER,
  attempt INTEGER,
  kind    TEXT    NOT NULL,
  engine  TEXT,
  charged TEXT,
  detail  TEXT
);
CREATE INDEX event_call ON event (call) WHERE call IS NOT NULL;
CREATE INDEX event_file ON event (file) WHERE file IS NOT NULL;
