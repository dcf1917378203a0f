#!/usr/bin/env bash
# The pages of the report in a browser: WCAG level AA by axe-core, on light and dark, wide and narrow; nothing fetched; no small text;
# no column cut off, what scrolls shows it, links to statements land in sight;
# how long a page takes on a slow processor. Needs node, npm and Chromium; the tools are installed below `target` at the first call.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${CARGO_TARGET_DIR:-target}/page-tools
wanted="axe-core@4.14.1 playwright-core@1.65.1"

for name in chromium chromium-browser google-chrome; do
    browser=${CHROMIUM:-$(command -v "$name" || true)}
    [ -n "$browser" ] && break
done
if [ -z "$browser" ] || ! command -v npm >/dev/null; then
    echo "the pages are not looked at: that needs node, npm and Chromium (CHROMIUM names another one)" >&2
    exit 1
fi
if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    mkdir -p "$tools"
    # shellcheck disable=SC2086
    npm install --silent --no-audit --no-fund --prefix "$tools" $wanted
    echo "$wanted" >"$tools/wanted"
fi
node scripts/pages.js "$tools/node_modules" "$browser" "${1:-results/report}"
