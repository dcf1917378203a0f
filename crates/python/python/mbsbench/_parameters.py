"""Parameters of a model, read from their schema."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A parameter with its value, meaning, unit and range."""

    name: str
    """Name as in files; levels are joined by dots."""
    value: Any
    """The value in the model."""
    about: str
    """Meaning and source."""
    unit: str = ""
    """SI unit, `rad` or `deg`; `1` for a dimensionless number, empty if the value is not a number."""
    minimum: float | None = None
    """Smallest value, if there is one; see `exclusive`."""
    maximum: float | None = None
    """Largest value, if there is one."""
    exclusive: bool = False
    """True if the smallest value itself is excluded."""
    choices: tuple[str, ...] = ()
    """Accepted names, if the value is a name."""


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

        def line(p: Parameter) -> str:
            return f"{p.name:{width}}  {p.value!r} {p.unit if p.unit != '1' else ''}".rstrip() + f"  {p.about}"

        return "\n".join(line(p) for p in self._found.values())


def of(values: str, schema: str) -> Parameters:
    """Returns parameters with these values (JSON), described by a schema (JSON)."""
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
            # The only key names the chosen alternative.
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
    """Resolves the references of a schema."""
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
