-- A file that is dropped again is not delivered again when its answers are what they were, and stand where they were.
-- reopened: how often a call of the file was asked anew after its end, so that its answers may be others.
-- seal: by which the destination knows the files that it wrote.
ALTER TABLE file ADD COLUMN reopened BIGINT NOT NULL DEFAULT 0;
ALTER TABLE file ADD COLUMN seal     TEXT;

CREATE FUNCTION call_reopened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE file SET reopened = reopened + 1, seal = NULL WHERE id IN (SELECT i.file FROM item i WHERE i.call = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER call_reopened AFTER UPDATE OF state ON call FOR EACH ROW
  WHEN (OLD.state IN ('DONE', 'DEAD') AND NEW.state <> OLD.state) EXECUTE FUNCTION call_reopened();
