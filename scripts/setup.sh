#!/usr/bin/env bash
# Says what is missing before the first build. Nothing beyond Rust, a C compiler, git and make is needed.
set -euo pipefail
missing=0
for tool in cargo cc git make; do
    if ! command -v "$tool" >/dev/null; then
        echo "missing: $tool" >&2
        missing=1
    fi
done
[ "$missing" -eq 0 ] && echo "all tools are there"
exit "$missing"
