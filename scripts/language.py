#!/usr/bin/env python3
"""Checks the language of docs, comments and experiment files against three ceilings.

- The share of documentation blocks whose first sentence has no main clause ("What stands here.", "Whether it ends.");
  questions are exempt.
- Lines of more than 120 characters in code and prose; tables, links, blocks of code in Markdown and generated files
  are exempt.
- Words and idioms that read as if translated.

    scripts/language.py [--list]

With `--list`, each finding is printed with its place.
"""

import pathlib
import re
import subprocess
import sys

HEADLESS_PERCENT = 0.1
LONG_LINES = 0
ODD_WORDS = 0

HEADLESS = re.compile(r"(What|Whether|That of|Those|Of which|Where|Who|Of)\b")
ODD = re.compile(r"\b(nought|anew|hangs? on|told apart|is no number|takes? over|room)\b(?!\()", re.IGNORECASE)
COMMENT = {".rs": re.compile(r"\s*//[/!]\s?(.*)"), ".py": re.compile(r'\s*"""(.*)'), ".yaml": re.compile(r"\s*#\s(.*)")}
GENERATED = {"docs/python-reference.md", "docs/performance.md", "docs/comparison.md"}
FOLDERS = ("crates", "docs", "experiments", "examples", "scripts", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def blocks(path, lines):
    """Yields the first line of each block of documentation, with its number."""
    if path.suffix == ".md":
        is_inside = False
        for number, line in enumerate(lines, 1):
            starts = not lines[number - 2].strip() if number > 1 else True
            if line.startswith("```"):
                is_inside = not is_inside
            elif not is_inside and starts and line[:1].isalpha():
                yield number, line
        return
    comment, was_comment = COMMENT.get(path.suffix), False
    for number, line in enumerate(lines, 1):
        match = comment.match(line) if comment else None
        text = match.group(1).strip() if match else ""
        if text and not was_comment:
            yield number, text
        was_comment = bool(text)


def long_lines(path, lines):
    """Yields the number of each line that is too long."""
    is_inside = False
    for number, line in enumerate(lines, 1):
        if path.suffix == ".md" and line.startswith("```"):
            is_inside = not is_inside
        exempt = path.suffix == ".md" and (is_inside or line.startswith(("|", "[", "<")))
        if len(line) > 120 and not exempt and "://" not in line:
            yield number


def main():
    root = pathlib.Path(__file__).parent.parent
    files = subprocess.run(["git", "ls-files", *FOLDERS], cwd=root, capture_output=True, text=True, check=True)
    findings, all_blocks = {"headless": [], "long": [], "odd": []}, 0
    for name in files.stdout.splitlines():
        path = root / name
        if path.suffix not in {".rs", ".md", ".py", ".yaml"} or name in GENERATED or name == "scripts/language.py":
            continue
        lines = path.read_text(errors="replace").splitlines()
        for number, text in blocks(path, lines):
            all_blocks += 1
            if HEADLESS.match(text) and not text.rstrip().endswith("?"):
                findings["headless"].append(f"{name}:{number}: begins without a main clause: {text}")
        if path.suffix != ".yaml":
            findings["long"] += [f"{name}:{number}: more than 120 characters" for number in long_lines(path, lines)]
        for number, line in enumerate(lines, 1):
            findings["odd"] += [f"{name}:{number}: `{word.group()}`" for word in ODD.finditer(line)]
    if "--list" in sys.argv[1:]:
        print("\n".join(line for kind in findings.values() for line in kind))
    percent = 100 * len(findings["headless"]) / all_blocks
    measured = [
        ("% of blocks of documentation begin without a main clause", percent, HEADLESS_PERCENT),
        (" lines are longer than 120 characters", len(findings["long"]), LONG_LINES),
        (" words read as if translated", len(findings["odd"]), ODD_WORDS),
    ]
    for what, found, ceiling in measured:
        print(f"{found:.4g}{what}; at most {ceiling}")
    return any(found > ceiling for _, found, ceiling in measured)


if __name__ == "__main__":
    sys.exit(main())
