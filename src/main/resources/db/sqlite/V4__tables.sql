-- Tables are given back with the answers: their rows as they were written (n: the item's), and what stands before them
-- (n = 0). Packed: see Packed.java.
CREATE TABLE source (
  file INTEGER NOT NULL REFERENCES file,
  n    INTEGER NOT NULL,
  body BLOB    NOT NULL,
  UNIQUE (file, n)
);
