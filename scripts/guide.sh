#!/usr/bin/env bash
# Builds the guide from `docs/` and the lists of the program in target/site. With `all`, adds the API docs and the
# report, so that the folder can be published. The first call installs MkDocs below `target`.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
tools=$target/guide-tools
wanted="mkdocs-material==9.8.2"

if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check "$wanted"; }; then
        echo "cannot build the guide: python3 with venv and access to the package index are required" >&2
        exit 1
    fi
    echo "$wanted" >"$tools/wanted"
fi
cargo build --quiet --release
export GUIDE_REFERENCE=$target/guide-reference NO_MKDOCS_2_WARNING=1
./scripts/guide_reference.py "$target/release/mbsbench" "$GUIDE_REFERENCE"
"$tools/bin/mkdocs" build --quiet --strict --site-dir "$(realpath -m "$target/site")"
cp "$target/site/guide.html" "$target/site/index.html"
if [ "${1:-}" = all ]; then
    cargo doc --quiet --release --no-deps --workspace --exclude mbsbench-python --lib
    cp -r "$target/doc" "$target/site/api"
    cargo run --quiet --release -- render --to html
    cp -r results/report "$target/site/report"
fi
echo "guide: $target/site/index.html"
