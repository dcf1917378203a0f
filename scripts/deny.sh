#!/usr/bin/env bash
# Licences, doubles and sources of all crates by deny.toml, and known vulnerabilities where their database can be had. Where cargo-deny is
# not there nothing is checked, which is said, unless `--install` compiles it below `target` (some minutes of CPU).
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
    echo "licences, doubles and sources of crates are not checked: \`scripts/deny.sh --install\` compiles cargo-deny, which does it"
    exit 0
fi
# Crates of other systems are none that a build here has fetched.
if ! cargo fetch --quiet --locked; then
    echo "licences, doubles and sources of crates are not checked: those of other systems cannot be fetched"
    exit 0
fi
"$deny" --offline check licenses bans sources
if "$deny" fetch db >/dev/null 2>&1; then
    "$deny" --offline check advisories
else
    echo "vulnerabilities are not checked: their database, on github.com, cannot be had here"
fi
