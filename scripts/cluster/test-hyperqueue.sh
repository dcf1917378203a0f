#!/usr/bin/env bash
# Computes 720 runs by HyperQueue on this machine. First HyperQueue and the submitting program are killed; after a restart,
# single tasks are killed. `runs.csv` must be bitwise identical to that of a single process. Requires python3 with venv and
# access to the package index; everything is written into a temporary folder.
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

# The number of entries in the cache, runs and references.
kept() {
    find store -name '*.json' 2>/dev/null | wc -l
}

# Waits until the cache has this number of entries, or the program has ended.
await() {
    while [ "$(kept)" -lt "$1" ] && kill -0 "$program" 2>/dev/null; do
        sleep 0.1
    done
}

echo "a single process"
"$MBSBENCH" run experiment.yaml --jobs 1 --out alone --cache alone-store 2>&1 | tail -1
whole=$(find alone-store -name '*.json' | wc -l)

echo "an engine with two workers, killed together with the submitting program"
set -m # each started program gets its own process group
submit >killed.log 2>&1 &
program=$!
await $((whole / 4))
kill -KILL -- "-$program" || { cat killed.log >&2; fail "the program ended before it was killed"; }
wait "$program" 2>/dev/null || true
# Tasks may outlive their worker and finish, or end with it; both are correct.
sleep 2
left=$(kept)
echo "$left of $whole entries are in the cache"
[ "$left" -lt "$whole" ] || fail "the kill came too late"
"$MBSBENCH" runs merge store --cache checked || fail "an entry is incomplete"

echo "again, with two tasks killed"
submit >again.log 2>&1 &
program=$!
for share in 2 4; do
    await $((left + (whole - left) * share / 10))
    # Finds the program of a task by its command line; it may end before it is killed.
    until kill -KILL "$(pgrep -n -f "runs shard [0-9]+/[0-9]+ .*--cache store")" 2>/dev/null; do
        kill -0 "$program" 2>/dev/null || fail "no task was running"
    done
done
wait "$program" || { cat again.log >&2; fail "the runs did not complete"; }
grep "failed" again.log || fail "the killed tasks are not reported"
cmp alone/cluster/pendulum/runs.csv results/cluster/pendulum/runs.csv || fail "runs.csv differs"
echo "runs.csv is bitwise identical to that of a single process"

echo "results in Python"
python/bin/python "$root/crates/python/python/mbsbench/results.py" results cluster/pendulum | tail -1 | tee said
grep -q "^$runs runs, figures \['energy'\]" said || fail "the results differ from runs.csv"
(cd "$root" && MPLBACKEND=agg "$folder/python/bin/python" scripts/example_figure.py "$folder/figure.png")
[ -s figure.png ] || fail "no figure"
echo "passed"
