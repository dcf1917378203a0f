#!/usr/bin/env bash
# Builds a release for Linux on x86-64 in target/release-files, and tries it in an empty folder with an empty environment:
#
#     mbsbench-VERSION-x86_64-linux.tar.gz   the program with its licences, for every x86-64 processor
#     mbsbench-VERSION-….whl                 the Python package
#     mbsbench-VERSION.cdx.json              bill of materials of both
#     requirements.txt, SHA256SUMS           system requirements; checksums
#
# With --program, the Python package, which compiles most crates again, is left out.
#
# SUNDIALS is linked statically: SUNDIALS_DIR names an installation with static archives, otherwise scripts/sundials.sh
# builds one. The newest glibc symbol determines the required glibc, which must not be newer than set here.
set -euo pipefail
cd "$(dirname "$0")/.."
newest_glibc=2.34 # Debian 12, Ubuntu 22.04, RHEL 9
largest_archive=25000000
with_wheel=1
[ "${1:-}" != --program ] || with_wheel=0

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
files=$target/release-files
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=mbsbench-$version-x86_64-linux
rm -rf "$files"
mkdir -p "$files" "$scratch/$name"

if [ -z "${SUNDIALS_DIR:-}" ]; then
    export SUNDIALS_DIR=$target/sundials-static
    [ -e "$SUNDIALS_DIR/LICENSE" ] || scripts/sundials.sh "$SUNDIALS_DIR"
fi

# Replaces the flags of .cargo/config.toml: builds for every x86-64 processor, merges identical functions, removes the paths
# of this machine, and links libgcc_s statically.
flags=(-C target-cpu=x86-64 -C llvm-args=-disable-fp-call-folding -C strip=symbols -C link-arg=-static-libgcc -C link-arg=-Wl,--icf=safe
    "--remap-path-prefix=$PWD=." "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo")
export CARGO_ENCODED_RUSTFLAGS
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}")
export CARGO_TARGET_DIR=$target/release-build

# Prints the newest glibc version that a file requires; fails if it is newer than allowed.
glibc_of() {
    local newest
    newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
    newest=${newest#GLIBC_}
    if [ "$(printf '%s\n' "$newest" "$newest_glibc" | sort -V | tail -1)" != "$newest_glibc" ]; then
        echo "$1 requires glibc $newest, but a release may require at most $newest_glibc: build it on an older system" >&2
        return 1
    fi
    echo "$newest"
}

cargo build --release --locked --bin mbsbench
program=$scratch/$name/mbsbench
cp "$CARGO_TARGET_DIR/release/mbsbench" "$program"
size=$(stat -c %s "$program")
if ldd "$program" | grep sundials; then
    echo "SUNDIALS is not linked statically: SUNDIALS_DIR has no static archives" >&2
    exit 1
fi
cp LICENSE-APACHE LICENSE-MIT README.md "$scratch/$name"
[ ! -e "$SUNDIALS_DIR/LICENSE" ] || cp "$SUNDIALS_DIR/LICENSE" "$scratch/$name/LICENSE-SUNDIALS"
tar czf "$files/$name.tar.gz" -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 "$name"
packed=$(stat -c %s "$files/$name.tar.gz")
[ "$packed" -lt "$largest_archive" ] || { echo "the archive has $packed bytes; at most $largest_archive are allowed" >&2; exit 1; }

if [ "$with_wheel" -eq 1 ]; then
    python3 -m venv "$scratch/build"
    "$scratch/build/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
    "$scratch/build/bin/maturin" build --release --locked --manifest-path crates/python/Cargo.toml --out "$files"
fi
scripts/sbom.py >"$files/mbsbench-$version.cdx.json"

# Runs a command in an empty folder with an empty environment.
alone() { (cd "$scratch/empty" && env -i "HOME=$scratch/home" PATH=/usr/bin:/bin "$@"); }
mkdir -p "$scratch/empty" "$scratch/home"
alone "$program" --version
alone "$program" reproduce gil2013 --quick | tail -1
cat >"$scratch/empty/sundials.yaml" <<'YAML'
id: release/sundials
title: Methods of SUNDIALS
model: pendulum
span: [0, 1]
tolerance: 1e-6
matrix: { method: [cvode-bdf, ida] }
YAML
alone "$program" run sundials.yaml
[ "$(grep -c ',ok,' "$scratch/empty/results/release/sundials/runs.csv")" -eq 2 ] || { echo "SUNDIALS does not work" >&2; exit 1; }
python=
if [ "$with_wheel" -eq 1 ]; then
    python3 -m venv "$scratch/python"
    "$scratch/python/bin/pip" install --quiet --disable-pip-version-check "$files"/*.whl
    alone "$scratch/python/bin/python" -c 'import mbsbench; print(mbsbench.compare("dop853", models=["pendulum"]).summary)'
    module=$(echo "$scratch"/python/lib/python3*/site-packages/mbsbench/_mbsbench.abi3.so)
    python="; the Python package: $(glibc_of "$module")"
fi

glibc=$(glibc_of "$program")
{
    echo "x86-64, every processor; Linux with glibc $glibc or later$python"
    echo "program: $size bytes, $packed packed, linked with $(ldd "$program" | awk '{ print $1 }' | xargs)"
    echo "SUNDIALS $(sed -n 's/^#define SUNDIALS_VERSION "\(.*\)"/\1/p' "$SUNDIALS_DIR/include/sundials/sundials_config.h"), in the program"
} | tee "$files/requirements.txt"
(cd "$files" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS && cat SHA256SUMS)
