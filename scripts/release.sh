#!/usr/bin/env bash
# Builds a release for Linux on x86-64 in target/release-files, and tries it in an empty folder and environment:
#
#     mbsbench-VERSION-x86_64-linux.tar.gz   the program with its licences, for every x86-64 processor
#     mbsbench-VERSION-….whl                 the Python package
#     mbsbench-VERSION-site.tar.gz           the guide with API docs and report
#     mbsbench-VERSION.cdx.json              the bill of materials
#     requirements.txt, SHA256SUMS           requirements of program and package; checksums
#
# With --program, the Python package and the site are left out.
#
# SUNDIALS is linked statically, from SUNDIALS_DIR or else built by scripts/sundials.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
newest_glibc=2.34 # Debian 12, Ubuntu 22.04, RHEL 9
largest_archive=25000000
is_whole=1
[ "${1:-}" != --program ] || is_whole=0

fail() {
    echo "$1" >&2
    exit 1
}

# The version must be the same everywhere, and the changelog must describe it.
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
for tag in $(git tag --points-at HEAD --list 'v*' 2>/dev/null); do
    [ "$tag" = "v$version" ] || fail "the tag is $tag, but Cargo.toml has version $version"
done
grep -q "^## $version " CHANGELOG.md || fail "CHANGELOG.md has no section '## $version (DATE)'"
grep -qx "version: $version" CITATION.cff || fail "CITATION.cff does not have version $version"

target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
files=$target/release-files
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
name=mbsbench-$version-x86_64-linux
rm -rf "$files"
mkdir -p "$files" "$scratch/$name"

if [ -z "${SUNDIALS_DIR:-}" ]; then
    export SUNDIALS_DIR=$target/sundials-static
    [ -e "$SUNDIALS_DIR/LICENSE" ] || scripts/sundials.sh "$SUNDIALS_DIR"
fi

# These flags replace those of .cargo/config.toml. The program runs on every x86-64 processor and contains no paths of
# this machine; identical functions are merged.
flags=(-C target-cpu=x86-64 -C llvm-args=-disable-fp-call-folding -C strip=symbols -C link-arg=-Wl,--icf=safe
    "--remap-path-prefix=$PWD=." "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo")
export CARGO_ENCODED_RUSTFLAGS
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}")
export CARGO_TARGET_DIR=$target/release-build

# Prints the newest glibc symbol version that a file needs; fails if a supported system may lack it.
glibc_of() {
    local newest
    newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
    newest=${newest#GLIBC_}
    if [ "$(printf '%s\n' "$newest" "$newest_glibc" | sort -V | tail -1)" != "$newest_glibc" ]; then
        echo "$1 needs glibc $newest, but at most $newest_glibc is allowed: build on an older system" >&2
        return 1
    fi
    echo "$newest"
}

# Packs a folder so that equal contents give equal bytes: `pack ARCHIVE PARENT FOLDER`.
pack() {
    tar cf - -C "$2" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 "$3" | gzip -n >"$1"
}

cargo build --release --locked --bin mbsbench
program=$scratch/$name/mbsbench
cp "$CARGO_TARGET_DIR/release/mbsbench" "$program"
size=$(stat -c %s "$program")
! ldd "$program" | grep sundials || fail "SUNDIALS must be linked statically, but SUNDIALS_DIR has no static archives"
cp LICENSE-APACHE LICENSE-MIT README.md "$scratch/$name"
[ ! -e "$SUNDIALS_DIR/LICENSE" ] || cp "$SUNDIALS_DIR/LICENSE" "$scratch/$name/LICENSE-SUNDIALS"
pack "$files/$name.tar.gz" "$scratch" "$name"
packed=$(stat -c %s "$files/$name.tar.gz")
[ "$packed" -lt "$largest_archive" ] || fail "the archive has $packed bytes, but at most $largest_archive are allowed"

if [ "$is_whole" -eq 1 ]; then
    python3 -m venv "$scratch/build"
    "$scratch/build/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
    "$scratch/build/bin/maturin" build --release --locked --manifest-path crates/python/Cargo.toml --out "$files"
    scripts/guide.sh all
    mv "$CARGO_TARGET_DIR/site" "$scratch/mbsbench-$version-site"
    pack "$files/mbsbench-$version-site.tar.gz" "$scratch" "mbsbench-$version-site"
fi
scripts/sbom.py >"$files/mbsbench-$version.cdx.json"

# Run what was built in an empty folder, with an empty environment.
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
[ "$(grep -c ',ok,' "$scratch/empty/results/release/sundials/runs.csv")" -eq 2 ] || fail "SUNDIALS does not work"
python=
if [ "$is_whole" -eq 1 ]; then
    python3 -m venv "$scratch/python"
    "$scratch/python/bin/pip" install --quiet --disable-pip-version-check "$files"/*.whl
    alone "$scratch/python/bin/python" -c \
        'import mbsbench; print(mbsbench.compare("dop853", models=["pendulum"]).summary)'
    module=$(echo "$scratch"/python/lib/python3*/site-packages/mbsbench/_mbsbench.abi3.so)
    python="; the Python package: glibc $(glibc_of "$module") or later"
fi

glibc=$(glibc_of "$program")
sundials=$(sed -n 's/^#define SUNDIALS_VERSION "\(.*\)"/\1/p' "$SUNDIALS_DIR/include/sundials/sundials_config.h")
{
    echo "x86-64, every processor; Linux with glibc $glibc or later$python"
    echo "program: $size bytes, $packed packed, linked with $(ldd "$program" | awk '{ print $1 }' | xargs)"
    echo "SUNDIALS $sundials, part of the program"
} | tee "$files/requirements.txt"
(cd "$files" && sha256sum -- * >"$scratch/sums" && mv "$scratch/sums" SHA256SUMS && cat SHA256SUMS)
