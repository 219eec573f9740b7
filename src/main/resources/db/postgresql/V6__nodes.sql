-- Several nodes on one ledger: which of them takes a file in, delivers one, and leaves an engine in peace.

CREATE TABLE taking (
  path TEXT   PRIMARY KEY,
  node BIGINT NOT NULL REFERENCES node
);
CREATE INDEX taking_node ON taking (node);

ALTER TABLE file ADD COLUMN owner BIGINT REFERENCES node;
CREATE INDEX file_owner ON file (owner) WHERE owner IS NOT NULL;
CREATE INDEX call_owner ON call (owner) WHERE state IN ('CLAIMED', 'SENT');

DROP TABLE pause;
CREATE TABLE pause (
  name   TEXT   NOT NULL,
  node   BIGINT NOT NULL REFERENCES node,
  state  TEXT   NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),
  since  BIGINT NOT NULL,
  until  BIGINT NOT NULL,
  reason TEXT   NOT NULL,
  PRIMARY KEY (name, node)
);
