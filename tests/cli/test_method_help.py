from __future__ import annotations

import pytest

from swapmeet.cli.parameters import flag, on_command_line
from swapmeet.methods import METHODS

FLAGS = {flag(p.name) for method in METHODS.values() for p in on_command_line(method)}


def list_flags(said):
    return {word for word in said.replace("│", " ").split() if word.startswith("--")}


@pytest.mark.parametrize("name", METHODS)
def test_help_of_a_method_has_its_options_and_no_others(swapmeet, name):
    run = swapmeet("mask", "--method", name, "--help")
    assert run.code == 0
    own = {flag(parameter.name) for parameter in on_command_line(METHODS[name])}
    assert list_flags(run.out) & FLAGS == own
    assert {"--drop", "--audit", "--from"} <= list_flags(run.out)


def test_the_other_methods_are_named(swapmeet):
    said = " ".join(swapmeet("mask", "--method=rwn", "-h").out.replace("│", " ").split())
    assert "Others: matched-swap, nbrs" in said
    assert "swapmeet methods rwn" in said


def test_full_help_without_a_method_has_the_options_of_all(swapmeet):
    assert list_flags(swapmeet("mask", "--help-all").out) & FLAGS == FLAGS
    first = list_flags(swapmeet("mask", "--method", "rwn", "--help").out) & FLAGS
    assert len(FLAGS) > 2 * len(first)


def test_help_of_a_method_that_does_not_exist_says_so(swapmeet):
    run = swapmeet("mask", "--method", "rwx", "--help")
    assert (run.code, run.out) == (2, "")
    assert "did you mean 'rwn'?" in run.err


def test_a_method_without_a_name_is_wrong_usage(swapmeet):
    assert swapmeet("mask", "a.csv", "b.csv", "--method").code == 2


def test_an_option_that_is_also_a_parameter_says_so_for_methods_that_have_it(swapmeet):
    helps = [" ".join(swapmeet("mask", "--method", name, "-h").out.replace("│", " ").split())
             for name in ("matched-swap", "rwn")]  # fmt: skip
    assert ["is a parameter of the method" in said for said in helps] == [True, False]
