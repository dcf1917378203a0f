#!/usr/bin/env bash
# Checks the pages of the report in a browser, light and dark, wide and narrow: WCAG level AA by axe-core; no network
# requests; no small text; no cut-off columns; visible scroll bars; links that lead to a visible statement. Prints the
# loading time of each page on a slow processor. Requires node, npm and Chromium; the first call installs the tools below
# `target`.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${CARGO_TARGET_DIR:-target}/page-tools
wanted="axe-core@4.14.1 playwright-core@1.65.1"

for name in chromium chromium-browser google-chrome; do
    browser=${CHROMIUM:-$(command -v "$name" || true)}
    [ -n "$browser" ] && break
done
if [ -z "$browser" ] || ! command -v npm >/dev/null; then
    echo "cannot check the pages: node, npm and Chromium are required (set CHROMIUM to use another browser)" >&2
    exit 1
fi
if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    mkdir -p "$tools"
    # shellcheck disable=SC2086
    npm install --silent --no-audit --no-fund --prefix "$tools" $wanted
    echo "$wanted" >"$tools/wanted"
fi
node scripts/pages.js "$tools/node_modules" "$browser" "${1:-results/report}"
