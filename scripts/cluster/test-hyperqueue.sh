#!/usr/bin/env bash
# 720 runs by a HyperQueue of this machine, which is killed in the middle with the program that submits; started again, tasks are killed one
# by one. `runs.csv` is bitwise that of one program alone. Needs python3 with venv, and pip's packages; everything is written into a
# temporary folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
MBSBENCH=${MBSBENCH:-${CARGO_TARGET_DIR:-$root/target}/release/mbsbench}
[ -x "$MBSBENCH" ] || (cd "$root" && cargo build --release)
runs=720

fail() {
    echo "failed: $*" >&2
    exit 1
}

folder=$(mktemp -d)
program=
end() {
    [ -z "$program" ] || kill -KILL -- "-$program" 2>/dev/null || true
    rm -rf "$folder"
}
trap end EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check hyperqueue pandas matplotlib
cp "$here/example.yaml" experiment.yaml
export PATH="$folder/python/bin:$here:$PATH"

submit() {
    exec "$MBSBENCH" run experiment.yaml --engine hyperqueue --parts 60 --out results --cache store
}

# Entries of the store, runs and references.
kept() {
    find store -name '*.json' 2>/dev/null | wc -l
}

# Waits until so many entries are there, or as many as the program makes.
await() {
    while [ "$(kept)" -lt "$1" ] && kill -0 "$program" 2>/dev/null; do
        sleep 0.1
    done
}

echo "one program alone"
"$MBSBENCH" run experiment.yaml --jobs 1 --out alone --cache alone-store 2>&1 | tail -1
whole=$(find alone-store -name '*.json' | wc -l)

echo "an engine with two workers, killed in the middle with the program that submits"
set -m # a group of processes for each that is begun
submit >killed.log 2>&1 &
program=$!
await $((whole / 4))
kill -KILL -- "-$program" || { cat killed.log >&2; fail "it ended by itself"; }
wait "$program" 2>/dev/null || true
# Tasks that outlive their worker finish what they do or die with it; both are right.
sleep 2
left=$(kept)
echo "$left of $whole entries are there"
[ "$left" -lt "$whole" ] || fail "the kill came too late"
"$MBSBENCH" runs merge store --cache checked || fail "an entry is not whole"

echo "again, with two tasks killed"
submit >again.log 2>&1 &
program=$!
for share in 2 4; do
    await $((left + (whole - left) * share / 10))
    # The program that a task has begun, known by its command; it may end before it is killed.
    until kill -KILL "$(pgrep -n -f "runs shard [0-9]+/[0-9]+ .*--cache store")" 2>/dev/null; do
        kill -0 "$program" 2>/dev/null || fail "no task was under way"
    done
done
wait "$program" || { cat again.log >&2; fail "the runs were not made"; }
grep "failed" again.log || fail "nothing is said of the tasks that were killed"
cmp alone/cluster/pendulum/runs.csv results/cluster/pendulum/runs.csv || fail "runs.csv differs"
echo "runs.csv is bitwise that of one program alone"

echo "results in Python"
python/bin/python "$root/crates/python/python/mbsbench/results.py" results cluster/pendulum | tail -1 | tee said
grep -q "^$runs runs, figures \['energy'\]" said || fail "other results than runs.csv has"
(cd "$root" && MPLBACKEND=agg "$folder/python/bin/python" scripts/example_figure.py "$folder/figure.png")
[ -s figure.png ] || fail "no figure"
echo "all is well"
