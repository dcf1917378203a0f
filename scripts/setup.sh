#!/usr/bin/env bash
# Before the first build, and harmless afterwards: says which tools are missing, and installs the one system library
# that some methods call, SUNDIALS, where it may. Without it everything works but these methods, whose runs say so.
set -euo pipefail
cd "$(dirname "$0")/.."
package=libsundials-dev

missing=0
for tool in cargo cc git make; do
    if ! command -v "$tool" >/dev/null; then
        echo "missing: $tool" >&2
        missing=1
    fi
done

has_sundials() {
    local prefix
    for prefix in ${SUNDIALS_DIR:-/usr /usr/local /opt/homebrew /opt/local}; do
        [ -e "$prefix/include/sundials/sundials_config.h" ] && return 0
    done
    [ -z "${SUNDIALS_DIR:-}" ] && command -v pkg-config >/dev/null && pkg-config --exists sundials_cvode
}

# Runs a command as root, if that needs no password.
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
    # Lists of packages may be old.
    as_root "${install[@]}" >/dev/null 2>&1 || { as_root apt-get update -qq && as_root "${install[@]}" >/dev/null; }
}

if [ "${MBSBENCH_WITHOUT_SUNDIALS:-}" = 1 ]; then
    echo "without SUNDIALS, as asked for"
elif ! has_sundials; then
    if may_install && install_sundials && has_sundials; then
        # The build script looks again when it has changed, and not at every build.
        touch crates/sundials/build.rs
    else
        echo "SUNDIALS is not there, and the methods cvode-bdf, cvode-adams and ida are unavailable: install $package" >&2
        echo "(Debian, Ubuntu), sundials (Homebrew) or sundials-devel (Fedora), or name its place in SUNDIALS_DIR;" >&2
        echo "then: touch crates/sundials/build.rs" >&2
    fi
fi

[ "$missing" -eq 0 ] && echo "all tools are there"
exit "$missing"
