-- What status shows. Here it is counted when it is asked for: with totals that every change adds to, all nodes would wait
-- for one another's commits.

CREATE VIEW call_total AS
  SELECT engine, state, count(*) AS calls, sum(sends) AS sends, count(CASE WHEN attempts > 0 THEN 1 END) AS charged,
    count(cost) AS priced,
    count(CASE WHEN cost IS NULL AND sends > 0 AND (state = 'DONE' OR state = 'DEAD' AND attempts > doubts) THEN 1 END)
      AS unpriced,
    coalesce(sum(cost), 0) AS cost
  FROM call GROUP BY engine, state;

CREATE VIEW item_total AS
  SELECT CASE WHEN c.id IS NULL THEN 'NONE' WHEN c.state IN ('DONE', 'DEAD') THEN c.state ELSE 'OPEN' END AS ending,
    count(*) AS items, sum(i.fresh) AS fresh
  FROM item i LEFT JOIN call c ON c.id = i.call GROUP BY 1;

CREATE VIEW file_total AS SELECT state, count(*) AS files FROM file GROUP BY state;

CREATE INDEX call_accepted   ON call (engine, sent) WHERE state = 'POLLING';
CREATE INDEX call_unresolved ON call (state) WHERE unresolved > 0;
CREATE INDEX event_unpriced  ON event (seq) WHERE charged = 'YES' AND cost IS NULL;
