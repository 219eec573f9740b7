"""The plain sequential worker: asks for one prompt after the other and commits each answer before the next one.

Usage: worker.py PORT PROMPTS ANSWERS DATABASE CALLS_PER_COMMIT
Only the standard library; a connection that is kept open, a database that survives a power cut. A second run with the
same database sends nothing, and writes the answers that it has.
"""
import hashlib
import http.client
import json
import sqlite3
import sys

port, prompts, answers, database, calls_per_commit = sys.argv[1:]

db = sqlite3.connect(database, isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
db.execute("PRAGMA synchronous=FULL")
db.execute("CREATE TABLE IF NOT EXISTS answer (key BLOB PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID")
connection = http.client.HTTPConnection("127.0.0.1", int(port))


def ask(text):
    request = json.dumps({"model": "bench", "messages": [{"role": "user", "content": text}]})
    connection.request("POST", "/v1/chat/completions", request, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    body = reply.read()
    if reply.status != 200:
        sys.exit(f"the endpoint answered {reply.status}")
    return json.loads(body)["choices"][0]["message"]["content"]


uncommitted = 0
with open(prompts, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
    for line in lines:
        item = json.loads(line)
        key = hashlib.sha256(item["text"].encode()).digest()
        known = db.execute("SELECT body FROM answer WHERE key = ?", (key,)).fetchone()
        if known:
            answer = known[0]
        else:
            answer = ask(item["text"])
            if uncommitted == 0:
                db.execute("BEGIN")
            db.execute("INSERT INTO answer VALUES (?, ?)", (key, answer))
            uncommitted += 1
            if uncommitted == int(calls_per_commit):
                db.execute("COMMIT")
                uncommitted = 0
        out.write(json.dumps({"id": item["id"], "answer": answer}) + "\n")
if uncommitted:
    db.execute("COMMIT")
