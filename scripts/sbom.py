#!/usr/bin/env python3
"""Writes a bill of materials in CycloneDX 1.6: each crate of the program with its version, licence and checksum.

    scripts/sbom.py > mbsbench.cdx.json
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def component(package: dict, checksums: dict) -> dict:
    name, version = package["name"], package["version"]
    found = {"type": "library", "name": name, "version": version, "purl": f"pkg:cargo/{name}@{version}"}
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums.get((name, version)):
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return found


def main() -> None:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    packages = json.loads(subprocess.check_output(command, cwd=ROOT))["packages"]
    found = (component(each, checksums) for each in packages)
    components = sorted(found, key=lambda each: (each["name"], each["version"]))
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    json.dump(bill, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
