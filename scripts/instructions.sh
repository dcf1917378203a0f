#!/usr/bin/env bash
# Counts the instructions of DOP853 and RADAU5 on Andrews' squeezer, for the solution only, and fails if a count exceeds its
# bound, which is 2 % above an earlier count. Counts depend on the compiler, not on the machine.
# Requires valgrind (Debian, Ubuntu: apt-get install valgrind) and a processor for which .cargo/config.toml builds.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    echo "valgrind is missing: install the package valgrind" >&2
    exit 2
fi
cargo build --release --quiet --package mbsbench-models --example squeezer_instructions
program=${CARGO_TARGET_DIR:-target}/release/examples/squeezer_instructions

# Counts the instructions of one solution; the output of the program goes to the terminal.
count() {
    local log
    log=$(mktemp)
    valgrind --tool=callgrind --toggle-collect='*solve_counted*' --callgrind-out-file=/dev/null --log-file="$log" \
        "$program" "$1" "$2" >&2
    awk '/Collected/ { print $NF }' "$log"
    rm -f "$log"
}

exceeded=0
report=$(printf '%-8s %10s %12s %12s' method tolerance instructions bound)
while read -r method tolerance bound; do
    instructions=$(count "$method" "$tolerance")
    if [ "$instructions" -gt "$bound" ]; then
        verdict=exceeded
        exceeded=1
    else
        verdict=kept
    fi
    report+=$(printf '\n%-8s %10s %12s %12s %s' "$method" "$tolerance" "$instructions" "$bound" "$verdict")
done <<'BOUNDS'
dop853 1e-6 1180000
dop853 1e-10 3570000
radau5 1e-6 8130000
radau5 1e-10 24230000
BOUNDS
echo "$report"
exit "$exceeded"
