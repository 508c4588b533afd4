"""Every method of the table keeps the contract of `swapmeet.testing`, and describes itself."""

from __future__ import annotations

import json
import pickle
import re
import warnings

import pytest
from method_examples import EVERYDAY_EXAMPLES, EXAMPLES, FIRST_EXAMPLES, METHOD_EXAMPLES

import swapmeet as sm
from swapmeet.methods import METHODS, Method, make
from swapmeet.methods.description import Description
from swapmeet.testing import check_method, examples
from swapmeet.testing.examples import fit_example

ALL_METHODS = pytest.mark.parametrize("method", METHOD_EXAMPLES)
COARSE = r"about \d of 10 cases|about \d\.\d|less than 0\.1|fewer than 1 of 10 cases"
"""The only figures that the public sees of a setting."""


def test_every_method_has_examples():
    assert all(EXAMPLES[name] for name in METHODS)
    assert all(type(method) is METHODS[name] for name in METHODS for method in EXAMPLES[name])


@pytest.mark.slow
@pytest.mark.parametrize("method", FIRST_EXAMPLES)
def test_method_keeps_the_contract(method):
    check_method(method)


@pytest.mark.slow_case("matched-swap-0-strata")
@pytest.mark.parametrize("label", ["strata", "pyarrow"])
@pytest.mark.parametrize("method", EVERYDAY_EXAMPLES)
def test_method_keeps_the_contract_on_a_table(method, label):
    check_method(method, on=[one for one in examples() if one.label == label])


@ALL_METHODS
def test_settings_survive_json_and_make_the_same_method(method):
    settings = json.loads(json.dumps(method.settings()))
    assert make(method.name, settings) == method


@ALL_METHODS
def test_a_method_reaches_another_process_as_it_is(method):
    assert pickle.loads(pickle.dumps(method)) == method


@pytest.mark.parametrize(("name", "method"), METHODS.items())
def test_table_maps_the_name_to_the_class(name, method):
    assert issubclass(method, Method)
    assert method.name == name
    assert name == name.lower()
    assert method.summary
    assert method.__doc__.count(">>>") >= 1
    assert all(parameter.meaning for parameter in method.parameters())


@pytest.mark.parametrize("method", METHODS.values())
def test_every_method_describes_itself(method):
    assert method.description is not Method.description


@ALL_METHODS
def test_a_method_has_words_for_everybody_and_no_exact_setting_for_the_public(method):
    description = method.description
    assert description.title != Description().title
    assert is_sentence(description.analysts)
    assert is_sentence(description.people)
    assert not re.search(r"\b(you|yours?)\b", description.people, re.IGNORECASE), "what became of"
    assert not re.search(r"\b(was|were|traded)\b", description.people), "values, figures tell"
    assert description.cautions
    assert all(is_sentence(caution.split("): ")[-1]) for caution in description.cautions)
    for text in (description.people, *(setting.value for setting in description.settings)):
        assert not any(letter.isdigit() for letter in re.sub(COARSE, "", text))


@pytest.mark.parametrize("method", FIRST_EXAMPLES)
def test_the_columns_that_a_method_says_it_masks_are_those_it_masks(method):
    example = fit_example(method, examples()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = sm.mask(example.data, method, schema=example.schema, seed=1)
    touched = {c.name for c in release.changes if c.moved + c.made + c.suppressed > 0}
    assert touched == {c.name for c in example.schema if method.masks(c)}


def is_sentence(text):
    return text[0].isupper() and text.endswith(".")
