from __future__ import annotations

import importlib.util
import json
from importlib.metadata import distributions
from pathlib import Path

import pytest

import swapmeet

SCRIPT = Path(__file__).parents[2] / "packaging" / "sbom.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("sbom", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bill(script):
    return script.build_sbom(list(distributions()))


def test_the_bill_is_about_swapmeet(bill):
    subject = bill["metadata"]["component"]
    assert (subject["name"], subject["version"]) == ("swapmeet", swapmeet.__version__)
    assert subject["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")


def test_everything_that_the_core_needs_is_listed_with_version_and_licence(bill):
    listed = {component["name"]: component for component in bill["components"]}
    for name in ("numpy", "scipy", "numba", "pyarrow", "randomgen", "tomli-w"):
        assert listed[name]["purl"] == f"pkg:pypi/{name}@{listed[name]['version']}"
        assert listed[name]["licenses"]


def test_dependencies_point_to_components(bill):
    refs = {component["bom-ref"] for component in bill["components"]}
    refs.add(bill["metadata"]["component"]["bom-ref"])
    graph = {line["ref"]: line["dependsOn"] for line in bill["dependencies"]}
    assert graph.keys() == refs
    assert all(set(needed) <= refs for needed in graph.values())
    ours = graph[bill["metadata"]["component"]["bom-ref"]]
    assert any(ref.startswith("pkg:pypi/numba@") for ref in ours)


@pytest.mark.slow
def test_the_same_installation_gives_the_same_text(script, bill):
    again = script.build_sbom(list(reversed(list(distributions()))))
    assert json.dumps(again, sort_keys=True) == json.dumps(bill, sort_keys=True)
    fewer = [one for one in distributions() if one.metadata["Name"] != "numba"]
    assert script.build_sbom(fewer)["serialNumber"] != bill["serialNumber"]


def test_an_environment_without_swapmeet_is_refused(script):
    with pytest.raises(SystemExit, match="swapmeet is not installed here"):
        script.build_sbom([])
