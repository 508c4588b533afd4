"""The site: everything written and everything made is in its navigation, and it builds."""

from __future__ import annotations

import re

import pytest
import typer
from doc_pages import ROOT

import swapmeet as sm
from swapmeet.cli.program import app

pytest.importorskip("mkdocs", reason="the extra [docs] is not installed")

import yaml
from api_pages import sort_names
from command_pages import list_commands
from declarations import describe_measure, describe_method, make_format_table
from doctest_fences import fence
from hooks import make_pages


def list_nav(entry):
    """The pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    inside = entry.values() if isinstance(entry, dict) else entry
    return [page for part in inside for page in list_nav(part)]


@pytest.fixture(scope="module")
def made():
    return make_pages()


@pytest.fixture(scope="module")
def nav():
    loader = yaml.SafeLoader
    return list_nav(yaml.load((ROOT / "mkdocs.yml").read_text(), loader)["nav"])


def test_every_page_is_in_the_navigation_once(nav, made):
    written = [str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")]
    assert sorted(nav) == sorted([*written, *made])


def test_a_command_has_a_page_with_all_its_options(made):
    shown = set(typer.main.get_command(app).commands)
    assert set(list_commands()) == shown
    for name, command in list_commands().items():
        page = made[f"reference/commands/{name}.md"]
        for option in command.params:
            if option.param_type_name == "option" and not option.name.startswith("parameter_"):
                assert f"`{option.opts[0]}`" in page, f"{name}: {option.opts[0]}"


def test_every_public_name_is_on_a_page_of_the_api(made):
    named = [name for names in sort_names().values() for name in names]
    modules = {"datasets", "plots"}
    assert set(named) | modules | {"METHODS"} == set(sm.__all__)
    text = "\n".join(text for place, text in made.items() if "/api/" in place)
    told = re.findall(r"^::: swapmeet\.(?:\w+\.)*(\w+)$", text, re.MULTILINE)
    assert set(named) <= set(told)


def test_parameters_of_methods_and_measures_are_those_declared():
    method = describe_method("rwn")
    options = [p for p in sm.RWN.parameters() if not p.in_python_only]
    assert all(f"`--{p.name.replace('_', '-')}`" in method for p in options)
    assert "| `distance=` | must be a function, which is given in Python" in method
    assert "| `--k` | must be a whole number, 1 or more | `5` |" in method
    assert "`queries`" in describe_measure("queries")


def test_what_formats_keep_is_what_they_declare():
    head, _, *rows = make_format_table().splitlines()
    assert "| SPSS |" in head
    assert "SAS |" not in head.replace("SAS transport", "")
    labels = next(row for row in rows if row.startswith("| labels of values |"))
    spss = head.split(" | ").index("SPSS")
    assert labels.split(" | ")[spss] == "yes"
    assert labels.split(" | ")[1] == "–"


def test_examples_of_docstrings_are_fenced():
    text = "Add.\n\n>>> 1 + 1\n2\n>>> 3\n3\n\nMore."
    wanted = "Add.\n\n```pycon\n>>> 1 + 1\n2\n>>> 3\n3\n```\n\nMore."
    assert fence(text) == wanted
