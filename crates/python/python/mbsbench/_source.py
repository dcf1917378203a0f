"""The text of what users write, which tells one version from another."""

import inspect
from typing import Any


def version_of(version: object, *things: Any) -> tuple[str | None, str | None]:
    """The version with the text of what it is a version of; nothing where there is no version, or the text cannot be had."""
    if version is None:
        return None, None
    try:
        return str(version), "\n".join(inspect.getsource(thing) for thing in things)
    except (OSError, TypeError):
        return None, None
