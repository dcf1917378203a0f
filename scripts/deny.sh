#!/usr/bin/env bash
# Checks licences, duplicate versions and sources of all crates against deny.toml, and known vulnerabilities if their
# database is available. If cargo-deny is missing, nothing is checked and a message says so; `--install` compiles it
# below `target` (some minutes of CPU time).
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=0.20.2
root=${CARGO_TARGET_DIR:-target}/deny

deny=$root/bin/cargo-deny
if [ "${1:-}" = --install ] && [ "$("$deny" --version 2>/dev/null)" != "cargo-deny $wanted" ]; then
    cargo install cargo-deny --version "$wanted" --locked --debug --no-default-features --root "$root"
fi
[ -x "$deny" ] || deny=$(command -v cargo-deny || true)
if [ -z "$deny" ]; then
    echo "licences, duplicate versions and sources of crates are not checked: cargo-deny is missing;" \
        "\`scripts/deny.sh --install\` compiles it"
    exit 0
fi
# A build on this machine has not fetched the crates of other systems.
if ! cargo fetch --quiet --locked; then
    echo "licences, duplicate versions and sources of crates are not checked: crates of other systems cannot be fetched"
    exit 0
fi
"$deny" --offline check licenses bans sources
if "$deny" fetch db >/dev/null 2>&1; then
    "$deny" --offline check advisories
else
    echo "vulnerabilities are not checked: their database on github.com is not available"
fi
