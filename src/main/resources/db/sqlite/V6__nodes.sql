-- As in PostgreSQL, where several nodes share a ledger; here there is one at a time.

ALTER TABLE file ADD COLUMN owner INTEGER REFERENCES node;

-- every run records its pauses anew; dropped first, so that the others take its pages and none is left free
DROP TABLE pause;
CREATE TABLE pause (
  name   TEXT    NOT NULL,
  node   INTEGER NOT NULL,
  state  TEXT    NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),
  since  INTEGER NOT NULL,
  until  INTEGER NOT NULL,
  reason TEXT    NOT NULL,
  PRIMARY KEY (name, node)
) WITHOUT ROWID;

CREATE TABLE taking (
  path TEXT    PRIMARY KEY,
  node INTEGER NOT NULL REFERENCES node
) WITHOUT ROWID;
