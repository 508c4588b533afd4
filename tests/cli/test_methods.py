from __future__ import annotations

import tomllib

import pytest

from swapmeet.cli.parameters import PARTS, method_options
from swapmeet.methods import METHODS, make


def test_methods_lists_all_methods_with_their_options(swapmeet):
    run = swapmeet("methods")
    assert (run.code, run.err) == (0, "")
    for method in METHODS.values():
        assert f"{method.name}: " in run.out
    assert "--weights" in run.out
    assert max(map(len, run.out.splitlines())) <= 80


def test_one_method_is_shown_alone(swapmeet):
    run = swapmeet("methods", "nbrs")
    assert "nbrs: " in run.out
    assert "rwn: " not in run.out


def test_a_method_tells_what_a_search_tries(swapmeet):
    run = swapmeet("methods", "sjppds")
    assert "A search tries bins 2, 3, 5, 10" in run.out


def test_methods_as_json(swapmeet):
    described = {method["name"]: method for method in swapmeet("methods", "--json").json["methods"]}
    assert list(described) == list(METHODS)
    k = next(p for p in described["rwn"]["parameters"] if p["name"] == "k")
    assert (k["default"], k["required"]) == (5, False)
    assert k["tries"][:3] == [2, 3, 5]
    eps = next(p for p in described["nbrs"]["parameters"] if p["name"] == "eps")
    assert (eps["default"], eps["required"]) == (None, True)


def test_unknown_method_is_wrong_usage_with_a_hint(swapmeet):
    run = swapmeet("methods", "rwm")
    assert run.code == 2
    assert "did you mean 'rwn'?" in run.err


def test_the_example_of_a_run_file_works():
    settings = tomllib.loads(PARTS)["method"]
    method = make(settings.pop("name"), settings)
    assert [list(columns) for _, columns in method.parts] == [
        ["age", "income"],
        ["region", "occupation"],
    ]


def test_per_column_shows_its_run_file(swapmeet):
    run = swapmeet("methods", "per-column")
    assert "[[method.parts]]" in run.out
    assert "--parts" not in run.out


@pytest.mark.parametrize("method", METHODS.values())
def test_each_parameter_has_an_option_unless_it_is_a_function(method):
    options = {option.name.removeprefix("parameter_") for option in method_options()}
    assert {p.name for p in method.parameters() if not p.in_python_only} <= options
    assert not {p.name for p in method.parameters() if p.in_python_only} & options


def test_what_a_method_leaves_as_it_is_is_told(swapmeet):
    text = " ".join(swapmeet("methods", "kl-theta").out.split())
    assert "Keys stay as they are" in text
    assert "Predictors stay as they are" in swapmeet("methods", "data-shuffle").out
    told = {m["name"]: m["leaves"] for m in swapmeet("methods", "--json").json["methods"]}
    assert {name for name, leaves in told.items() if leaves} >= {
        "kl-theta", "mews", "meds", "data-shuffle", "per-column",
    }  # fmt: skip
    assert told["rwn"] == ""


def test_the_command_line_offers_no_function_and_says_where_there_is_one(swapmeet):
    told = swapmeet("methods", "rwn")
    assert "In Python only, and not in run files: `distance`" in " ".join(told.out.split())
    assert "--distance" not in swapmeet("mask", "--help-all").out
