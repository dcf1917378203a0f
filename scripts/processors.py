#!/usr/bin/env python3
"""Computes the results as on other processors, and fails if a byte differs from the committed results.

    scripts/processors.py [--sample] [VARIANT…]     # default: all variants that this machine can run

built:    the usual program;
glibc:    the same program, with FMA and AVX2 disabled in the C library;
baseline: compiled for every x86-64 processor, with the same C library;
avx512:   compiled for x86-64-v4, if the processor has it;
python:   two papers in a Python process, if `make python` has built the package.

Each variant computes all papers and sets in its own folder below target/processors, where finished runs are kept. With
--sample, it computes the shortened experiments of `make quick` (every method and every model) instead, and each variant
is compared with the first.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target/processors"
OLD_GLIBC = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F"
# Target processor of the compiler (None: that of .cargo/config.toml), and tunables of the C library.
VARIANTS = {
    "built": (None, None),
    "glibc": (None, OLD_GLIBC),
    "baseline": ("x86-64", OLD_GLIBC),
    "avx512": ("x86-64-v4", None),
    "python": (None, None),
}
PYTHON = ROOT / "target/python/bin/python"


def can(variant: str) -> bool:
    if variant == "avx512":
        return " avx512f " in Path("/proc/cpuinfo").read_text()
    return variant != "python" or PYTHON.exists()


def program(variant: str) -> Path:
    """Compiles the program for a variant."""
    processor = VARIANTS[variant][0]
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    environment = dict(os.environ)
    if processor is not None:
        target = FOLDER / variant / "build"
        flags = [f"-Ctarget-cpu={processor}", "-Cllvm-args=-disable-fp-call-folding"]
        environment |= {"CARGO_TARGET_DIR": str(target), "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, env=environment, check=True)
    return target / "release/mbsbench"


def project(variant: str) -> Path:
    """Creates a folder with the committed experiments and recorded times, on which no result depends."""
    folder = FOLDER / variant / "project"
    folder.mkdir(parents=True, exist_ok=True)
    archive = ["git", "archive", "HEAD", "experiments", "examples/mechanisms", "results"]
    packed = subprocess.run(archive, cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=packed, check=True)
    for path in (folder / "results").rglob("*"):
        if path.is_file() and "times" not in path.relative_to(folder).parts and path.name != "manifest.json":
            path.unlink()
    return folder


def made(variant: str, is_sample: bool) -> Path:
    """Computes the results of a variant, and returns their folder."""
    folder = project(variant)
    environment = {key: value for key, value in os.environ.items() if key != "GLIBC_TUNABLES"}
    if tunables := VARIANTS[variant][1]:
        environment["GLIBC_TUNABLES"] = tunables
    papers = sorted(path.parent.name for path in (ROOT / "experiments").glob("*/paper.yaml"))
    if variant == "python":
        papers = ["gil2013", "modin2005"]
        command = [str(PYTHON), "-c", "import sys, mbsbench._program as p; p.command(*sys.argv[1:], accept=(0, 1))"]
    else:
        command = [str(program(variant))]
    command += ["reproduce", *(["--quick"] if is_sample else papers)]
    ended = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL).returncode
    if ended not in (0, 1):
        sys.exit(f"{variant}: {' '.join(command)} ended with {ended}")
    return folder / ("target/quick" if is_sample else "results")


def differing(one: Path, other: Path) -> tuple[int, list[str]]:
    """Returns the number of tables in the second folder, and the names of those that differ from the first. For a timed
    experiment only the runs are compared, because other tables may show times."""
    times = other / "times"
    names = [path.relative_to(other) for path in sorted(other.rglob("*.csv")) if times not in path.parents]
    names = [str(name) for name in names if name.name == "runs.csv" or not (times / name.parent).exists()]
    same = [(one / name).exists() and (one / name).read_bytes() == (other / name).read_bytes() for name in names]
    return len(names), [name for name, is_same in zip(names, same) if not is_same]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    options = parser.parse_args()
    if unknown := [name for name in options.variants if name not in VARIANTS]:
        parser.error(f"unknown variant `{unknown[0]}`; accepted: {', '.join(VARIANTS)}")
    variants = options.variants or [variant for variant in VARIANTS if can(variant)]
    committed = made(variants[0], True) if options.sample else ROOT / "results"
    wrong = 0
    for variant in variants[1:] if options.sample else variants:
        count, found = differing(committed, made(variant, options.sample))
        print(f"{variant}: {count} tables, {len(found)} differ", *found[:20], sep="\n  ")
        wrong += len(found) + (count == 0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
