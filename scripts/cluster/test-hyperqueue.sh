#!/usr/bin/env bash
# 720 runs by a HyperQueue of this machine, killed in the middle and started again: `runs.csv` is bitwise that of one
# program alone. Needs python3 with venv, and pip's packages; everything is written into a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export MBSBENCH=${MBSBENCH:-${CARGO_TARGET_DIR:-$root/target}/release/mbsbench}
[ -x "$MBSBENCH" ] || (cd "$root" && cargo build --release --package mbsbench-runner)
parts=60
runs=720

fail() {
    echo "failed: $*" >&2
    exit 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check hyperqueue pandas matplotlib
cp "$here/example.yaml" experiment.yaml

submit() {
    exec python/bin/python "$here/local_hyperqueue.py" "$parts" "$here/hyperqueue.sh" "$parts" "$folder/store" experiment.yaml
}

# Entries of the store, runs and references.
kept() {
    find store -name '*.json' 2>/dev/null | wc -l
}

echo "one program alone"
"$MBSBENCH" run experiment.yaml --jobs 1 --out alone --cache alone-store 2>&1 | tail -1
whole=$(find alone-store -name '*.json' | wc -l)

echo "a server with two workers, killed in the middle"
submit >killed.log 2>&1 &
cluster=$!
while [ "$(kept)" -lt $((whole / 4)) ]; do
    kill -0 "$cluster" 2>/dev/null || { cat killed.log >&2; fail "the cluster ended by itself"; }
    sleep 0.1
done
kill -KILL "$cluster"
wait "$cluster" 2>/dev/null || true
# Tasks that outlive their worker finish what they do or die with it; both are right.
sleep 2
left=$(kept)
echo "$left of $whole entries are there"
[ "$left" -lt "$whole" ] || fail "the kill came too late"
"$MBSBENCH" merge store --cache checked || fail "an entry is not whole"

echo "again"
(submit) >again.log 2>&1 || { cat again.log >&2; fail "a task failed"; }
[ "$(kept)" -eq "$whole" ] || fail "$(kept) of $whole entries"
"$MBSBENCH" run experiment.yaml --out results --cache store 2>&1 | tail -1 | tee said
grep -q "^$runs runs, $runs from the store" said || fail "the store does not have all runs"
cmp alone/cluster/pendulum/runs.csv results/cluster/pendulum/runs.csv || fail "runs.csv differs"
echo "runs.csv is bitwise that of one program alone"

echo "results in Python"
python/bin/python "$root/crates/python/python/mbsbench/results.py" results cluster/pendulum | tail -1 | tee said
grep -q "^$runs runs, figures \['energy'\]" said || fail "other results than runs.csv has"
(cd "$root" && MPLBACKEND=agg "$folder/python/bin/python" scripts/example_figure.py "$folder/figure.png")
[ -s figure.png ] || fail "no figure"
echo "all is well"
