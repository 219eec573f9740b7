#!/usr/bin/env bash
# Measures the packaged distribution against its own stub, in separate processes on this machine:
#   1. start to first answer: from the start of the process until one dropped .md has its answer in the outbox
#   2. durable calls a second: LINES distinct prompts of about 1.5 KB with CONCURRENCY in flight and no delay, from
#      the first send to the last stored answer, by the receipt
# and, as a measure of the machine in the same run, how long a bare JVM takes to start.
# Usage: src/bench/throughput.sh [LINES] [CONCURRENCY]     (after mvn -q -B -DskipTests package)
set -euo pipefail
lines=${1:-20000}
concurrency=${2:-64}
root=$(cd "$(dirname "$0")/../.." && pwd)
oncebox=$root/target/oncebox/bin/oncebox
work=$(mktemp -d)
trap 'kill $stub 2>/dev/null || true; rm -rf "$work"' EXIT
millis() { date +%s%3N; }

"$oncebox" stub --port 0 > "$work/stub.log" &
stub=$!
until [ -s "$work/stub.log" ]; do sleep 0.05; done
url=$(cat "$work/stub.log")

home() {
  mkdir -p "$work/$1/config" "$work/$1/inbox"
  printf 'engine.default.url=%s/v1\nengine.default.model=bench\nengine.default.concurrency=%s\n' "$url" "$concurrency" \
    > "$work/$1/config/application.properties"
}

t=$(millis); java -version 2>/dev/null; jvm=$(( $(millis) - t ))

home first
echo 'One short prompt.' > "$work/first/inbox/.p.md"; touch -d '1 hour ago' "$work/first/inbox/.p.md"
mv "$work/first/inbox/.p.md" "$work/first/inbox/p.md"
t=$(millis)
"$oncebox" run --home "$work/first" 2>/dev/null & runtime=$!
until [ -e "$work/first/outbox/p.md" ]; do sleep 0.01; done
first=$(( $(millis) - t ))
kill "$runtime"; wait "$runtime" || true

home many
awk -v n="$lines" 'BEGIN { filler = "";
  for (i = 0; i < 70; i++) filler = filler " the quick brown fox jumps";
  filler = substr(filler, 1, 1450);
  for (i = 1; i <= n; i++) printf "{\"id\":%d,\"text\":\"Prompt %d.%s\"}\n", i, i, filler }' > "$work/many/inbox/.x.jsonl"
touch -d '1 hour ago' "$work/many/inbox/.x.jsonl"
mv "$work/many/inbox/.x.jsonl" "$work/many/inbox/x.jsonl"
t=$(millis)
"$oncebox" run --until-idle --home "$work/many" 2>/dev/null
wall=$(( $(millis) - t ))
receipt=$work/many/outbox/x.jsonl.receipt.json
field() { sed -n "s/.*\"$1\" : \"\\(.*\\)\".*/\\1/p" "$receipt"; }
sending=$(( $(date -d "$(field lastAnswered)" +%s%3N) - $(date -d "$(field firstSent)" +%s%3N) ))

echo "bare JVM start (java -version)            $jvm ms"
echo "start to first answer                     $first ms"
echo "calls                                     $lines, $concurrency in flight, about 1.5 KB"
echo "first send to last stored answer          $sending ms = $(( lines * 1000 / sending )) calls/s"
echo "whole run, start and intake and delivery  $wall ms"
