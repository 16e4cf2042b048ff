#!/bin/sh
# What mmreason.yml does, step by step on this machine, with recorded answers: a push to the main
# branch, a pull request that changes nothing, and one that makes the model worse.
#
#   [MM_MODEL=SPEC] [SHARDS=N] sh examples/github/run_locally.sh [FOLDER]
#
# FOLDER (a temporary one by default) takes the place of GitHub: its cache, its artifacts, and the
# page of each job. Exit 0 if the first two pass and the last one does not.

set -u
store=${1:-$(mktemp -d)}
mkdir -p "$store/cache" || exit 2
store=$(cd "$store" && pwd)

MM_BENCHMARK=mini
MM_MODEL=${MM_MODEL:-replay:mini}
MM_JUDGE=local
MM_CACHE=on
MM_THRESHOLD=35
MM_MAX_DROP=5
SHARDS=${SHARDS:-2}
GITHUB_ACTIONS=true
export MM_BENCHMARK MM_MODEL MM_JUDGE MM_CACHE MM_THRESHOLD MM_MAX_DROP SHARDS GITHUB_ACTIONS

# Each job starts in an empty folder, as on a machine of its own.
begin() {
  echo "=== $run: $1"
  GITHUB_STEP_SUMMARY="$store/$run/$1.md"
  export GITHUB_STEP_SUMMARY
  work="$store/work"
  rm -rf "$work"
  mkdir -p "$work" "$store/$run"
  cd "$work" || exit 2
}

# The cache: restore NAME PATH, save NAME PATH
restore() {
  if [ -e "$store/cache/$1" ]; then
    mkdir -p "$(dirname "$2")"
    cp -R "$store/cache/$1" "$2"
  fi
}
save() {
  if [ -e "$2" ]; then
    rm -rf "$store/cache/$1"
    cp -R "$2" "$store/cache/$1"
  fi
}

# The artifacts: upload NAME
upload() {
  if [ -e "$1" ]; then cp -R "$1" "$store/$run/$1"; fi
}

evaluate() {
  begin "evaluate-$SHARD"
  restore "mmreason-$SHARD" .mmreason/cache
  # --- Evaluate a shard
  pytest -m mmreason --mm-benchmark="$MM_BENCHMARK" --mm-model="$MM_MODEL" \
    --mm-judge="$MM_JUDGE" --mm-cache="$MM_CACHE" --junitxml=junit.xml \
    --mm-shard="$SHARD/$SHARDS" --mm-output="shard-$SHARD"
  # ---
  status=$?
  save "mmreason-$SHARD" .mmreason/cache
  upload "shard-$SHARD"
  return $status
}

gate() {
  begin gate
  mkdir shards && cp -R "$store/$run"/shard-* shards
  restore mmreason-baseline baseline
  # --- Merge the shards and decide
  against=""
  if [ -f baseline/results.jsonl ]; then
    against="--mm-baseline=baseline --mm-max-drop=$MM_MAX_DROP"
  fi
  python -m pytest_mmreason merge shards/* --mm-threshold="$MM_THRESHOLD" \
    $against --mm-output=report
  # ---
  status=$?
  upload report
  if [ $status = 0 ] && [ "$run" = main ]; then
    # --- Take it as the run of the main branch
    rm -rf baseline
    cp -R report baseline
    # ---
    save mmreason-baseline baseline
  fi
  return $status
}

# workflow RUN: both jobs, and how they ended
workflow() {
  run=$1
  rm -rf "${store:?}/$run"
  failed=0
  SHARD=1
  while [ "$SHARD" -le "$SHARDS" ]; do
    export SHARD
    evaluate || failed=1
    SHARD=$((SHARD + 1))
  done
  gate || failed=1
  echo "=== $run: $(if [ $failed = 0 ]; then echo passed; else echo failed; fi)"
  return $failed
}

workflow main || exit 1
workflow pull-request || exit 1

# The model of the last one answers ten samples that it knew with something else.
python - "$store/pull-request/report/results.jsonl" "$store/worse.json" <<'END' || exit 2
import json
import sys

answers, spoilt = {}, 0
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    known = record["score"] == 1.0 and spoilt < 10
    spoilt += known
    answers[record["sample"]] = "I cannot tell." if known else record["response"]
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(answers, file)
END
MM_MODEL="replay:$store/worse.json"
MM_THRESHOLD=0
workflow worse && exit 1
echo "=== everything is in $store"
