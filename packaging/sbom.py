"""A software bill of materials (CycloneDX 1.6, JSON) of the environment this Python belongs to.

Install what you want to list, then run this with that environment's Python:

    python -m venv plain && plain/bin/pip install swapmeet
    plain/bin/python packaging/sbom.py > swapmeet.cdx.json

It needs nothing but the standard library. The same installation gives the same text.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from importlib.metadata import Distribution, distributions

ROOT = "swapmeet"


def build_sbom(found: list[Distribution]) -> dict[str, object]:
    """The bill of some distributions, of which one is Swapmeet."""
    known = {normalize_name(one.metadata["Name"]): one for one in found}
    if ROOT not in known:
        raise SystemExit(f"{ROOT} is not installed here: run this with the Python that has it.")
    others = [describe_component(known[name]) for name in sorted(known) if name != ROOT]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": describe_component(known[ROOT]) | {"type": "application"}},
        "components": others,
        "dependencies": [describe_dependencies(known[name], known) for name in sorted(known)],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(bill, sort_keys=True))
    return {**bill, "serialNumber": f"urn:uuid:{serial}"}


def normalize_name(name: str) -> str:
    """The name of a package as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def identify(one: Distribution) -> str:
    """The package URL of a distribution."""
    return f"pkg:pypi/{normalize_name(one.metadata['Name'])}@{one.version}"


def describe_component(one: Distribution) -> dict[str, object]:
    """Name, version, licence and purpose of a distribution."""
    component: dict[str, object] = {
        "type": "library",
        "bom-ref": identify(one),
        "name": normalize_name(one.metadata["Name"]),
        "version": one.version,
        "purl": identify(one),
    }
    if summary := one.metadata.get("Summary"):
        component["description"] = summary
    if licences := list_licences(one):
        component["licenses"] = licences
    return component


def list_licences(one: Distribution) -> list[dict[str, object]]:
    """What a distribution says of its licence: an SPDX expression, classifiers, or a short text."""
    if expression := one.metadata.get("License-Expression"):
        return [{"expression": expression}]
    classifiers = one.metadata.get_all("Classifier") or []
    names = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    text = (one.metadata.get("License") or "").strip()
    if not names and text and "\n" not in text:
        names = [text]
    return [{"license": {"name": name}} for name in names]


def describe_dependencies(one: Distribution, known: dict[str, Distribution]) -> dict[str, object]:
    """Which of the distributions that are installed another one asks for, extras included."""
    asked = (re.match(r"[\w.-]+", line) for line in one.requires or [])
    names = {normalize_name(match[0]) for match in asked if match} & known.keys()
    return {
        "ref": identify(one),
        "dependsOn": sorted(identify(known[name]) for name in names if known[name] is not one),
    }


if __name__ == "__main__":
    json.dump(build_sbom(list(distributions())), sys.stdout, indent=2)
    sys.stdout.write("\n")
