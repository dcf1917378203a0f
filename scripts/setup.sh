#!/usr/bin/env bash
# Called by `make` before a build. Reports missing tools and how to install them, and installs SUNDIALS, a library that some
# methods use, if this is possible without a password. Without SUNDIALS only these methods are unavailable.
set -euo pipefail
cd "$(dirname "$0")/.."
package=libsundials-dev

# The version that Cargo.toml requires. Without this check, Cargo would report an old compiler itself.
rust=$(sed -n 's/^rust-version = "\(.*\)".*/\1/p' Cargo.toml)
if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install Rust $rust or later from https://rustup.rs, then open a new shell" >&2
    exit 1
fi
if ! command -v cc >/dev/null; then
    echo "a C compiler is missing: install build-essential (Debian, Ubuntu), gcc (Fedora) or the Xcode tools (macOS)" >&2
    exit 1
fi
present=$(cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
if [ "$(printf '%s\n' "$rust" "$present" | sort -V | head -1)" != "$rust" ]; then
    echo "cargo $present is too old: install Rust $rust or later from https://rustup.rs (\`rustup update\`)" >&2
    exit 1
fi

has_sundials() {
    local prefix
    for prefix in ${SUNDIALS_DIR:-/usr /usr/local /opt/homebrew /opt/local}; do
        [ -e "$prefix/include/sundials/sundials_config.h" ] && return 0
    done
    [ -z "${SUNDIALS_DIR:-}" ] && command -v pkg-config >/dev/null && pkg-config --exists sundials_cvode
}

# Runs a command as root; only called if that needs no password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

may_install() {
    command -v apt-get >/dev/null && { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

install_sundials() {
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$package")
    echo "installing $package" >&2
    # The package lists may be out of date.
    as_root "${install[@]}" >/dev/null 2>&1 || { as_root apt-get update -qq && as_root "${install[@]}" >/dev/null; }
}

if [ "${MBSBENCH_WITHOUT_SUNDIALS:-}" = 1 ]; then
    echo "building without SUNDIALS, as requested" >&2
elif ! has_sundials; then
    if may_install && install_sundials && has_sundials; then
        # The build script searches again only when it has changed.
        touch crates/sundials/build.rs
    else
        echo "SUNDIALS is missing, so the methods cvode-bdf, cvode-adams and ida are unavailable. To use them, install" >&2
        echo "$package (Debian, Ubuntu), sundials (Homebrew) or sundials-devel (Fedora), or set SUNDIALS_DIR to its" >&2
        echo "folder; then: touch crates/sundials/build.rs" >&2
    fi
fi
