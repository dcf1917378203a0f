"""Parameters of a model, read off their schema."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A parameter with what is known of it."""

    name: str
    """As files spell it; levels are joined by dots."""
    value: Any
    """The value that the model has."""
    about: str
    """What it is, from where."""
    unit: str = ""
    """Its unit in the SI, `rad` or `deg`; `1` of a number without a unit, and empty of what is not a number."""
    minimum: float | None = None
    """Least value, where there is one; see `exclusive`."""
    maximum: float | None = None
    """Largest value, where there is one."""
    exclusive: bool = False
    """Whether the least value itself is left out."""
    choices: tuple[str, ...] = ()
    """The values that there are, where they are names."""


class Parameters(Mapping[str, Parameter]):
    """All parameters of a model by name."""

    def __init__(self, found: dict[str, Parameter]) -> None:
        self._found = found

    def __getitem__(self, name: str) -> Parameter:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        width = max((len(name) for name in self._found), default=0)
        lines = (f"{p.name:{width}}  {p.value!r} {p.unit if p.unit != '1' else ''}".rstrip() + f"  {p.about}" for p in self._found.values())
        return "\n".join(lines)


def of(values: str, schema: str) -> Parameters:
    """Parameters with these values (JSON), described by a schema (JSON)."""
    whole = json.loads(schema)
    found: dict[str, Parameter] = {}
    _walk("", json.loads(values), whole, whole, found)
    return Parameters(found)


def _walk(path: str, values: Any, schema: Any, whole: Any, found: dict[str, Parameter]) -> None:
    about, unit = (schema.get(key, "") if isinstance(schema, dict) else "" for key in ("description", "unit"))
    schema = _resolved(schema, whole)
    about = about or schema.get("description", "")
    if isinstance(values, dict):
        fields = schema.get("properties", {})
        for choice in schema.get("oneOf", []):
            # The alternative that was chosen is named by the one key.
            fields = {**fields, **choice.get("properties", {})}
        for name, value in values.items():
            _walk(f"{path}.{name}" if path else name, value, fields.get(name, {}), whole, found)
        return
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    found[path] = Parameter(
        name=path,
        value=values,
        about=about,
        unit=unit,
        minimum=low,
        maximum=schema.get("maximum", schema.get("exclusiveMaximum")),
        exclusive="exclusiveMinimum" in schema,
        choices=tuple(_names(schema)),
    )


def _resolved(schema: Any, whole: Any) -> dict[str, Any]:
    """A schema without references."""
    while isinstance(schema, dict) and ("$ref" in schema or "allOf" in schema):
        schema = schema["allOf"][0] if "allOf" in schema else whole["$defs"][schema["$ref"].split("/")[-1]]
    return schema if isinstance(schema, dict) else {}


def _names(schema: dict[str, Any]) -> Iterator[str]:
    yield from schema.get("enum", [])
    for choice in schema.get("oneOf", []):
        if "const" in choice:
            yield choice["const"]
        else:
            yield from choice.get("enum", choice.get("required", []))
