#!/usr/bin/env python3
"""Writes the reference pages of the guide: keys of an experiment file, commands, methods, models and measures.

    scripts/guide_reference.py PROGRAM FOLDER

The pages are generated from the JSON Schema, lists and help of the program, so they always agree with it.
"""

import json
import pathlib
import re
import subprocess
import sys

FIRST_LINE = {
    "methods": "An experiment names a method under `method:` or in `matrix:`, alone or with parameters: "
    "`{ dopri5: { dense-output: true } }`. The keys `label`, `step`, `step_per_stage` and `tolerance` are accepted "
    "beside the parameters.",
    "models": "An experiment names a model under `model:` or in `matrix:`, alone or with parameters: "
    "`{ pendulum: { formulation: minimal } }`.",
    "measures": "An experiment lists measures under `measures:`. Each gives one or more columns of `runs.csv`.",
}
OWN_KEYS = {"label", "step", "step_per_stage", "tolerance"}


def kind(schema, link):
    """Returns the type of a value, in words."""
    if "$ref" in schema:
        return link(schema["$ref"].removeprefix("#/$defs/"))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kinds = [kind(one, link) for one in schema[key] if one.get("$ref") != "#/$defs/each"]
            return " or ".join(dict.fromkeys(kinds))
    found = schema.get("type", "any value")
    if isinstance(found, list):
        return " or ".join(one for one in found if one != "null")
    if found == "array":
        return f"list of {kind(schema.get('items', {}), link)}"
    if found == "object":
        names = list(schema.get("properties", {}))
        return f"`{names[0]}: …`" if len(names) == 1 else "map"
    bounds = (("above", "exclusiveMinimum"), ("from", "minimum"), ("below", "exclusiveMaximum"), ("to", "maximum"))
    limits = [f" {word} {schema[key]:g}" for word, key in bounds if key in schema]
    return {"string": "text", "integer": "whole number"}.get(found, found) + ",".join(limits)


def cell(text):
    return re.sub(r"\s+", " ", str(text)).strip().replace("|", "\\|")


def as_yaml(value):
    """Writes a value in the flow style of YAML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {as_yaml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_yaml, value)) + "]"
    is_plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][^:,#{}\[\]]*", value)
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def table(schema, link, leave_out=()):
    """Returns a table with key, type, default, meaning and example of each property."""
    rows = []
    for name, field in schema.get("properties", {}).items():
        if name in leave_out:
            continue
        default = f"`{json.dumps(field['default'], ensure_ascii=False)}`" if "default" in field else ""
        default += f" {field['unit']}" if "unit" in field else ""
        about = cell(field.get("description", ""))
        about += "".join(f"<br>`{name}: {cell(as_yaml(example))}`" for example in field.get("examples", []))
        name = f"`{name}`" + (" (required)" if name in schema.get("required", []) else "")
        rows.append(f"| {name} | {cell(kind(field, link))} | {cell(default)} | {about} |")
    return ["| key | type | default | meaning |", "|---|---|---|---|", *rows, ""] if rows else []


def parts(definitions, link, level):
    """Yields a section for each definition that has keys or alternatives."""
    for name, definition in definitions.items():
        lines = table(definition, link)
        alternatives = []
        for one in definition.get("oneOf", definition.get("anyOf", [])):
            fields = one.get("properties", {})
            word = one.get("const") or (list(fields)[0] if len(fields) == 1 else None)
            if word and one.get("description"):
                alternatives.append(f"- `{word}`: {cell(one['description'])}")
        if lines or alternatives:
            yield from [f"{level} {name.rsplit('-', 1)[-1]}", "", cell(definition.get("description", "")), ""]
            yield from [*alternatives, "", *lines]


def link_to(known):
    return lambda name: f"[{name}](#{name.lower()})" if name in known else name.rsplit("-", 1)[-1]


def experiment_file(schema):
    own = {name: part for name, part in schema["$defs"].items() if "-" not in name}
    own = {name: part for name, part in own.items() if name not in ("model", "method", "measure", "number", "each")}
    with_section = {line[3:] for line in parts(own, str, "##") if line.startswith("## ")}
    yield from ["# Experiment file", "", "[Experiments](../experiments.md) explains the keys by examples.", ""]
    yield from table(schema, link_to(with_section))
    yield from parts(own, link_to(with_section), "##")


def entries(schema, what):
    singular = what.removesuffix("s")
    yield from [f"# {what.capitalize()}", "", FIRST_LINE[what], ""]
    for entry in schema["$defs"][singular]["anyOf"]:
        for name, parameters in entry.get("properties", {}).items():
            written = (one for one in parameters.get("anyOf", []) if "$ref" not in one and one.get("title"))
            parameters = next(written, parameters)
            own = {part: one for part, one in schema["$defs"].items() if part.startswith(f"{singular}-{name}-")}
            about, summary = parameters.get("description", ""), f"{cell(entry['description'])}."
            summary = summary[:1].upper() + summary[1:]
            is_said = cell(about).lower() == summary.lower()
            yield from [f"## {name}", "", summary, "", "" if is_said else about, ""]
            yield from table(parameters, link_to({}), OWN_KEYS)
            yield from parts(own, link_to({}), "###")


def commands(program):
    def help_of(*command):
        return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout

    first = help_of()
    yield from ["# Commands", "", "```text", first.rstrip(), "```", ""]
    for name in re.findall(r"^  ([a-z]+)  +\S", first, re.MULTILINE):
        yield from [f"## {name}", "", "```text", help_of(name).rstrip(), "```", ""]


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads(subprocess.run([program, "schema"], capture_output=True, text=True, check=True).stdout)
    pages = {"experiment-file": experiment_file(schema), "commands": commands(program)}
    pages |= {what: entries(schema, what) for what in FIRST_LINE}
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in pages.items():
        (folder / f"{name}.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
