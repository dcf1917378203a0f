#!/usr/bin/env bash
# Fails where a dependency of the program has other features when tests are built: it is compiled twice then, with all that stands on it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Name, version and features of what is compiled, a line each.
features() {
    cargo tree --locked --prefix none --format '{p} [{f}]' "$@" | sed 's/ (\*)$//; s/ (proc-macro)//' | grep -v ' (/' | sort -u
}

program=$(features --package mbsbench-runner --edges normal)
tests=$(features --workspace --exclude mbsbench-python --edges normal,dev)
if twice=$(comm -23 <(echo "$program") <(echo "$tests") | grep .); then
    echo "with other features in tests, so compiled twice (see crates/runner/Cargo.toml):" >&2
    echo "$twice" >&2
    exit 1
fi
