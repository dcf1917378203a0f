#!/usr/bin/env bash
# Builds the Python package in a virtual environment (target/python), and runs its tests, including types and notebooks.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=${CARGO_TARGET_DIR:-target}/python
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check "./crates/python[test]"
"$environment/bin/python" -m pytest -q -p no:cacheprovider crates/python/tests "$@"
