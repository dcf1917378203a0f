#!/usr/bin/env bash
# Builds CVODE and IDA of SUNDIALS from source as static archives, which can be linked into programs and shared libraries:
#
#     scripts/sundials.sh FOLDER        # FOLDER/include, FOLDER/lib, FOLDER/LICENSE; for SUNDIALS_DIR
#
# SUNDIALS_SOURCE names an unpacked source. Without it, apt downloads the source of the distribution and checks its
# signature.
set -euo pipefail
mkdir -p "$1"
into=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Downloads the source of the distribution, using separate package lists so that those of the system do not change.
fetch() {
    mkdir -p "$work/lists/partial" "$work/sources"
    local file
    for file in /etc/apt/sources.list.d/*.sources; do
        grep -qi debian-archive "$file" && sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources/$(basename "$file")"
    done
    local apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/sources" -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$work" && "${apt[@]}" source --download-only sundials && mkdir source && tar xf sundials_*.orig.tar.* -C source --strip-components 1)
}

source=${SUNDIALS_SOURCE:-}
if [ -z "$source" ]; then
    fetch >&2
    source=$work/source
fi
options=(
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$into" -DCMAKE_INSTALL_LIBDIR=lib
    -DBUILD_STATIC_LIBS=ON -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_C_FLAGS="-march=x86-64 -ffp-contract=off -ffile-prefix-map=$source=sundials -ffile-prefix-map=$work=."
    -DBUILD_CVODE=ON -DBUILD_IDA=ON -DBUILD_ARKODE=OFF -DBUILD_CVODES=OFF -DBUILD_IDAS=OFF -DBUILD_KINSOL=OFF
    -DEXAMPLES_ENABLE_C=OFF -DEXAMPLES_ENABLE_CXX=OFF -DEXAMPLES_INSTALL=OFF -DENABLE_MPI=OFF
)
cmake -S "$source" -B "$work/build" "${options[@]}" >&2
cmake --build "$work/build" --target install --parallel >&2
cp "$source/LICENSE" "$into/LICENSE"
