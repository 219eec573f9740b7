-- earlier: attempts that no longer count, at engines before this one or before a person's retry.
-- unresolved: attempts whose end is unknown, and which the engine recognises by the call's key.
ALTER TABLE call ADD COLUMN earlier    INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN unresolved INTEGER NOT NULL DEFAULT 0;

-- Whether this process put in order what the one before it left.
ALTER TABLE node ADD COLUMN recovered INTEGER NOT NULL DEFAULT 0;

-- What the attempt cost, as far as the engine said so.
ALTER TABLE event ADD COLUMN cost INTEGER;

-- What a budget's period has used up.
CREATE INDEX event_charged ON event (at) WHERE charged IN ('YES', 'UNKNOWN');

-- Which engines are sent nothing at the moment, or whether a budget is used up; a row while it lasts.
CREATE TABLE pause (
  name   TEXT    PRIMARY KEY,
  state  TEXT    NOT NULL CHECK (state IN ('OPEN', 'PROBING', 'LIMITED', 'SPENT')),
  since  INTEGER NOT NULL,
  until  INTEGER NOT NULL,
  reason TEXT    NOT NULL
);
