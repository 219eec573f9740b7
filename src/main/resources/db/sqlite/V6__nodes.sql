-- As in PostgreSQL, where several nodes share a ledger; here there is one at a time.

CREATE TABLE taking (
  path TEXT    PRIMARY KEY,
  node INTEGER NOT NULL REFERENCES node
) WITHOUT ROWID;

ALTER TABLE file ADD COLUMN owner INTEGER REFERENCES node;

ALTER TABLE pause RENAME TO pause_before;
CREATE TABLE pause (
  name   TEXT    NOT NULL,
  node   INTEGER NOT NULL,
  state  TEXT    NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),
  since  INTEGER NOT NULL,
  until  INTEGER NOT NULL,
  reason TEXT    NOT NULL,
  PRIMARY KEY (name, node)
) WITHOUT ROWID;
INSERT INTO pause SELECT name, 0, state, since, until, reason FROM pause_before;
DROP TABLE pause_before;
