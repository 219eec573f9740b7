-- What status shows, added up with every change and in its transaction: to count ten million calls takes many seconds.
-- Triggers do it, so that no statement, and no other program, can forget to. Items are to be deleted before their call.

-- unpriced: charged for certain, at a cost that nobody knows.
CREATE TABLE call_total (
  engine   TEXT    NOT NULL,
  state    TEXT    NOT NULL,
  calls    INTEGER NOT NULL,
  sends    INTEGER NOT NULL,
  charged  INTEGER NOT NULL,
  priced   INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  cost     INTEGER NOT NULL,
  PRIMARY KEY (engine, state)
) WITHOUT ROWID;

-- ending: of their call. NONE: it has none, as the item cannot be read.
CREATE TABLE item_total (
  ending TEXT    PRIMARY KEY CHECK (ending IN ('NONE', 'OPEN', 'DONE', 'DEAD')),
  items  INTEGER NOT NULL,
  fresh  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE file_total (
  state TEXT    PRIMARY KEY,
  files INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO call_total
  SELECT engine, state, count(*), sum(sends), sum(attempts > 0), count(cost),
    sum(cost IS NULL AND sends > 0 AND (state = 'DONE' OR state = 'DEAD' AND attempts > doubts)), coalesce(sum(cost), 0)
  FROM call GROUP BY engine, state;
INSERT INTO item_total VALUES ('NONE', 0, 0), ('OPEN', 0, 0), ('DONE', 0, 0), ('DEAD', 0, 0);
INSERT INTO item_total
  SELECT CASE WHEN c.id IS NULL THEN 'NONE' WHEN c.state IN ('DONE', 'DEAD') THEN c.state ELSE 'OPEN' END AS ending,
    count(*), sum(i.fresh)
  FROM item i LEFT JOIN call c ON c.id = i.call GROUP BY ending
  ON CONFLICT (ending) DO UPDATE SET items = excluded.items, fresh = excluded.fresh;
INSERT INTO file_total VALUES ('TAKING', 0), ('TAKEN', 0), ('DELIVERED', 0);
INSERT INTO file_total SELECT state, count(*) FROM file WHERE true GROUP BY state
  ON CONFLICT (state) DO UPDATE SET files = excluded.files;

CREATE TRIGGER call_added AFTER INSERT ON call BEGIN
  INSERT INTO call_total VALUES (NEW.engine, NEW.state, 1, NEW.sends, NEW.attempts > 0, NEW.cost IS NOT NULL,
    NEW.cost IS NULL AND NEW.sends > 0 AND (NEW.state = 'DONE' OR NEW.state = 'DEAD' AND NEW.attempts > NEW.doubts),
    coalesce(NEW.cost, 0))
  ON CONFLICT (engine, state) DO UPDATE SET calls = calls + 1, sends = sends + excluded.sends,
    charged = charged + excluded.charged, priced = priced + excluded.priced, unpriced = unpriced + excluded.unpriced,
    cost = cost + excluded.cost;
END;
CREATE TRIGGER call_changed AFTER UPDATE OF engine, state, sends, attempts, doubts, cost ON call BEGIN
  UPDATE call_total SET calls = calls - 1, sends = sends - OLD.sends, charged = charged - (OLD.attempts > 0),
    priced = priced - (OLD.cost IS NOT NULL),
    unpriced = unpriced - (OLD.cost IS NULL AND OLD.sends > 0
      AND (OLD.state = 'DONE' OR OLD.state = 'DEAD' AND OLD.attempts > OLD.doubts)),
    cost = cost - coalesce(OLD.cost, 0)
  WHERE engine = OLD.engine AND state = OLD.state;
  INSERT INTO call_total VALUES (NEW.engine, NEW.state, 1, NEW.sends, NEW.attempts > 0, NEW.cost IS NOT NULL,
    NEW.cost IS NULL AND NEW.sends > 0 AND (NEW.state = 'DONE' OR NEW.state = 'DEAD' AND NEW.attempts > NEW.doubts),
    coalesce(NEW.cost, 0))
  ON CONFLICT (engine, state) DO UPDATE SET calls = calls + 1, sends = sends + excluded.sends,
    charged = charged + excluded.charged, priced = priced + excluded.priced, unpriced = unpriced + excluded.unpriced,
    cost = cost + excluded.cost;
END;
CREATE TRIGGER call_removed AFTER DELETE ON call BEGIN
  UPDATE call_total SET calls = calls - 1, sends = sends - OLD.sends, charged = charged - (OLD.attempts > 0),
    priced = priced - (OLD.cost IS NOT NULL),
    unpriced = unpriced - (OLD.cost IS NULL AND OLD.sends > 0
      AND (OLD.state = 'DONE' OR OLD.state = 'DEAD' AND OLD.attempts > OLD.doubts)),
    cost = cost - coalesce(OLD.cost, 0)
  WHERE engine = OLD.engine AND state = OLD.state;
END;

-- The items of a call end with it, and wait again with it.
CREATE TRIGGER call_ended AFTER UPDATE OF state ON call
WHEN OLD.state <> NEW.state AND (OLD.state IN ('DONE', 'DEAD') OR NEW.state IN ('DONE', 'DEAD')) BEGIN
  UPDATE item_total SET items = items - (SELECT count(*) FROM item WHERE call = NEW.id),
    fresh = fresh - (SELECT coalesce(sum(fresh), 0) FROM item WHERE call = NEW.id)
  WHERE ending = CASE WHEN OLD.state IN ('DONE', 'DEAD') THEN OLD.state ELSE 'OPEN' END;
  UPDATE item_total SET items = items + (SELECT count(*) FROM item WHERE call = NEW.id),
    fresh = fresh + (SELECT coalesce(sum(fresh), 0) FROM item WHERE call = NEW.id)
  WHERE ending = CASE WHEN NEW.state IN ('DONE', 'DEAD') THEN NEW.state ELSE 'OPEN' END;
END;
CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
  UPDATE item_total SET items = items + 1, fresh = fresh + NEW.fresh
  WHERE ending = coalesce((SELECT CASE WHEN state IN ('DONE', 'DEAD') THEN state ELSE 'OPEN' END FROM call
    WHERE id = NEW.call), 'NONE');
END;
CREATE TRIGGER item_freshened AFTER UPDATE OF fresh ON item WHEN OLD.fresh <> NEW.fresh BEGIN
  UPDATE item_total SET fresh = fresh + NEW.fresh - OLD.fresh
  WHERE ending = coalesce((SELECT CASE WHEN state IN ('DONE', 'DEAD') THEN state ELSE 'OPEN' END FROM call
    WHERE id = NEW.call), 'NONE');
END;
CREATE TRIGGER item_removed AFTER DELETE ON item BEGIN
  UPDATE item_total SET items = items - 1, fresh = fresh - OLD.fresh
  WHERE ending = coalesce((SELECT CASE WHEN state IN ('DONE', 'DEAD') THEN state ELSE 'OPEN' END FROM call
    WHERE id = OLD.call), 'NONE');
END;

CREATE TRIGGER file_added AFTER INSERT ON file BEGIN
  UPDATE file_total SET files = files + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER file_changed AFTER UPDATE OF state ON file WHEN OLD.state <> NEW.state BEGIN
  UPDATE file_total SET files = files - 1 WHERE state = OLD.state;
  UPDATE file_total SET files = files + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER file_removed AFTER DELETE ON file BEGIN
  UPDATE file_total SET files = files - 1 WHERE state = OLD.state;
END;

-- Since when the oldest accepted call waits, whether an attempt was paid at a cost unknown, and what a start looks for.
CREATE INDEX call_accepted   ON call (engine, sent) WHERE state = 'POLLING';
CREATE INDEX call_unresolved ON call (state) WHERE unresolved > 0;
CREATE INDEX event_unpriced  ON event (seq) WHERE charged = 'YES' AND cost IS NULL;
