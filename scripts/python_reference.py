"""Generates docs/python-reference.md from the docstrings of the package.

    python scripts/python_reference.py > docs/python-reference.md
"""

import inspect
import sys

import mbsbench


def signature(thing: object) -> str:
    try:
        text = str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    return text.replace("'", "").replace("mbsbench._mbsbench.", "").replace("self, ", "").replace("(self)", "()")


def documented(thing: object, name: str, level: int) -> list[str]:
    is_function = inspect.isroutine(thing)
    lines = [f"{'#' * level} `{name}{signature(thing) if is_function else ''}`", "", inspect.getdoc(thing) or "", ""]
    if inspect.isclass(thing):
        for member, value in sorted(vars(thing).items()):
            is_own = not member.startswith("_") and inspect.getdoc(value)
            if is_own and (inspect.isroutine(value) or inspect.isdatadescriptor(value)):
                lines += documented(value, f"{name}.{member}", level + 1)
    return lines


def main() -> str:
    lines = [
        "# Python: all functions and classes",
        "",
        "Generated from the docstrings by `scripts/python_reference.py`; [python.md](python.md) is the guide.",
        "",
    ]
    for name in mbsbench.__all__:
        thing = getattr(mbsbench, name)
        if name != "__version__":
            lines += documented(thing, f"mbsbench.{name}", 2)
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()).strip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(main())
