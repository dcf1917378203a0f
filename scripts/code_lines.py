#!/usr/bin/env python3
"""Counts the lines of code of each crate, and those of the experiment files.

A line of code is a line of a file in `crates/*/src`, as formatted by rustfmt, that is neither blank, a comment, nor
part of a test module (`#[cfg(test)]`, `tests.rs` or a folder `tests`). All lines of the files in `experiments/` are
counted, except those of ledgers (`claims.yaml`, `anchors.yaml`) and of `paper.yaml`.

    scripts/code_lines.py [FOLDER]
"""

import pathlib
import sys

NOT_EXPERIMENTS = {"claims.yaml", "anchors.yaml", "paper.yaml"}


def code_lines(text):
    """Returns the number of lines of code in a Rust file."""
    count, attributed, end = 0, False, None
    for line in text.splitlines():
        code = line.strip()
        if end is not None:
            if line.startswith(end):
                end = None
        elif code.startswith("#[cfg(test)]"):
            attributed, indent = True, line[: len(line) - len(line.lstrip())]
        elif attributed:
            if not code.startswith("#["):
                attributed = False
                if "{" in code and not code.endswith("}"):
                    end = indent + "}"
        elif code and not code.startswith("//"):
            count += 1
    return count


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    crates = {}
    for path in root.glob("crates/*/src/**/*.rs"):
        inside = path.relative_to(root / "crates").parts
        if inside[-1] != "tests.rs" and "tests" not in inside[2:-1]:
            crates[inside[0]] = crates.get(inside[0], 0) + code_lines(path.read_text())
    for crate, lines in sorted(crates.items(), key=lambda entry: -entry[1]):
        print(f"{lines:6} {crate}")
    print(f"{sum(crates.values()):6} lines of code")
    files = [path for path in root.glob("experiments/**/*.yaml") if path.name not in NOT_EXPERIMENTS]
    print(f"{sum(len(path.read_text().splitlines()) for path in files):6} lines of {len(files)} experiment files")


if __name__ == "__main__":
    main()
