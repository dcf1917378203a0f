#!/usr/bin/env bash
# Fails if the program, the tests and the Python package use a dependency with different features: it would be compiled
# twice, together with everything that depends on it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Name, version and features of each compiled dependency, one per line.
features() {
    cargo tree --locked --prefix none --format '{p} [{f}]' "$@" | sed 's/ (\*)$//; s/ (proc-macro)//' | grep -v ' (/' | sort -u
}

program=$(features --package mbsbench --edges normal,build)
differ() {
    local others
    others=$(features "${@:2}")
    if twice=$(comm -23 <(echo "$program") <(echo "$others") | grep .); then
        echo "the $1 uses these crates with other features, so they are compiled twice (see crates/runner/Cargo.toml):" >&2
        echo "$twice" >&2
        exit 1
    fi
}
differ "test suite" --workspace --exclude mbsbench-python --edges normal,dev,build
differ "Python package" --package mbsbench-python --edges normal,build
