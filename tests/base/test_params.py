from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from decimal import Decimal
from pickle import dumps, loads
from typing import Annotated

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.params import (
    ByColumn,
    Count,
    Fraction,
    Names,
    Number,
    OneOf,
    Optional,
    Parameters,
    Switch,
    Tries,
    Weights,
)
from swapmeet.errors import ParameterError
from swapmeet.measures.registry import RISKS
from swapmeet.methods import METHODS, NBRS, RWN


@dataclass(frozen=True, kw_only=True)
class Recipe(Parameters):
    eggs: Annotated[int, Count(2), "how many eggs"]
    salt: Annotated[float, Fraction(), "share of salt"] = 0.01
    oven: Annotated[str, OneOf(("gas", "wood")), "what heats"] = "gas"
    guests: Annotated[int | None, Optional(Count()), "how many eat", Tries(2, 4)] = None


def refused(domain, value):
    with pytest.raises((ValueError, TypeError)):
        domain.convert(value)


@pytest.mark.parametrize("value", [1, 10**30, np.int8(3), np.uint64(7)])
def test_count_takes_whole_numbers_and_returns_plain_ones(value):
    assert Count().convert(value) == value
    assert type(Count().convert(value)) is int


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, "3", None, True, np.True_, np.float64(2), [1]])
def test_count_refuses_the_rest(value):
    refused(Count(), value)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float32(0.25), np.int64(1)])
def test_fraction_takes_numbers_from_0_to_1(value):
    assert Fraction().convert(value) == value
    assert type(Fraction().convert(value)) is float


@pytest.mark.parametrize(
    "value",
    [-0.001, 1.001, 15, math.nan, math.inf, "0.5", None, True, False, np.True_, Decimal("0.5"), 1j],
)
def test_fraction_refuses_percents_and_everything_else(value):
    refused(Fraction(), value)


def test_open_lower_bound_excludes_it():
    assert Number(above=True).convert(1e-300) == 1e-300
    refused(Number(above=True), 0)
    refused(Fraction(above=True), 0.0)
    assert Number().convert(0) == 0.0


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, -1])
def test_number_is_finite_and_not_below_its_bound(value):
    refused(Number(), value)


@pytest.mark.parametrize(
    ("domain", "rule"),
    [
        (Count(), "be a whole number, 1 or more"),
        (Count(5), "be a whole number, 5 or more"),
        (Fraction(), "be in [0, 1]"),
        (Fraction(above=True), "be in (0, 1]"),
        (Number(), "be a finite number, 0 or more"),
        (Number(above=True), "be a finite number above 0"),
        (Number(1, 2.5), "be in [1, 2.5]"),
        (OneOf(("a", "b")), "be one of a, b"),
        (Optional(Fraction()), "be in [0, 1]"),
    ],
)
def test_rules_are_said_in_words(domain, rule):
    assert domain.rule == rule


@pytest.mark.parametrize("value", ["c", "", None, 1, ["a"], np.array(["a", "b"])])
def test_one_of_a_few_words_is_none_other(value):
    assert OneOf(("a", "b")).convert("b") == "b"
    refused(OneOf(("a", "b")), value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [(0.05, 0.05), (0, 0.0), (np.float64(2), 2.0), ({"a": 1, "b": 0.5}, {"a": 1.0, "b": 0.5})],
)
def test_weights_are_one_number_or_one_per_column(value, plain):
    assert Weights().convert(value) == plain


@pytest.mark.parametrize(
    "value", [-1, math.nan, math.inf, 1e200, {"a": -1}, {1: 1.0}, {"a": "1"}, [1, 2], "a", True]
)
def test_weights_refuse_what_makes_no_distance(value):
    refused(Weights(), value)


@pytest.mark.parametrize(
    "value", ["a", [], ["a", "a"], [1], ["a", None], 3, None, {"a"} | {1}, ("a", b"b")]
)
def test_names_are_texts_each_once(value):
    assert Names().convert(["b", "a"]) == ("b", "a")
    refused(Names(), value)


@pytest.mark.parametrize("value", [1, 0, "true", None, [True]])
def test_switches_are_true_or_false(value):
    assert Switch().convert(value=True) is True
    refused(Switch(), value)


def test_a_value_by_column_has_the_domain_of_one_value():
    assert ByColumn(Count(2)).convert({"a": 2, "b": 9}) == {"a": 2, "b": 9}
    assert ByColumn(Count(2)).convert(3) == 3
    refused(ByColumn(Count(2)), {"a": 1})
    refused(ByColumn(Count(2)), {"a": 2.5})


def test_optional_adds_nothing_but_none():
    assert Optional(Count()).convert(None) is None
    assert Optional(Count()).convert(3) == 3
    refused(Optional(Count()), 0)


@pytest.mark.parametrize(
    ("domain", "text", "value"),
    [
        (Count(), "12", 12),
        (Fraction(), "0.25", 0.25),
        (Fraction(), "1", 1.0),
        (Number(), "1e-3", 0.001),
        (OneOf(("a", "b")), "b", "b"),
        (Weights(), "0.05", 0.05),
        (Weights(), "sex=0.2, income=1", {"sex": 0.2, "income": 1.0}),
        (Weights(), "a=b=0.5", {"a=b": 0.5}),
        (Optional(Count()), "3", 3),
        (Names(), "age, income", ("age", "income")),
        (Switch(), "true", True),
        (Switch(), "No", False),
        (ByColumn(Count(1)), "age=3,income=12", {"age": 3, "income": 12}),
    ],
)
def test_texts_of_the_command_line_are_understood(domain, text, value):
    assert domain.parse(text) == value


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Count(), "1.5"),
        (Count(), "many"),
        (Count(), "0"),
        (Fraction(), "15"),
        (Fraction(), "nan"),
        (Fraction(), "15%"),
        (Weights(), "sex=heavy"),
        (Weights(), "sex=1,income"),
        (Weights(), "-1"),
        (OneOf(("a",)), "A"),
    ],
)
def test_other_texts_are_refused(domain, text):
    with pytest.raises(ValueError):  # noqa: PT011
        domain.parse(text)


@given(st.floats() | st.integers() | st.text() | st.none() | st.booleans())
def test_a_fraction_is_converted_to_a_legal_one_or_refused(value):
    try:
        number = Fraction().convert(value)
    except ValueError:
        return
    assert 0.0 <= number <= 1.0
    assert Fraction().convert(number) == number


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RWN(q=5), "rwn: `q` must be in [0, 1]; got 5."),
        (lambda: RWN(k=0), "rwn: `k` must be a whole number, 1 or more; got 0."),
        (lambda: RWN(k=2.5), "rwn: `k` must be a whole number, 1 or more; got 2.5."),
        (lambda: RWN(k=True), "rwn: `k` must be a whole number, 1 or more; got True."),
        (lambda: RWN(eps=-1), "rwn: `eps` must be a finite number, 0 or more; got -1."),
        (lambda: RWN(ties="first"), "rwn: `ties` must be one of random, all; got 'first'."),
        (lambda: NBRS(eps=0), "nbrs: `eps` must be a finite number above 0; got 0."),
        (
            lambda: RWN(weights={"sex": -1}),
            (
                "rwn: `weights` must be in [0, 1e+06]: one for all nominal columns, or "
                "column=value pairs; got {'sex': -1}."
            ),
        ),
    ],
)
def test_message_names_method_parameter_rule_and_value(make, message):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RWN(kk=3), "rwn: no parameter 'kk'; did you mean 'k'? It has k, eps, "),
        (lambda: NBRS(epsilon=1), "nbrs: no parameter 'epsilon'; did you mean 'eps'? It has eps, "),
        (lambda: NBRS(), "nbrs: `eps` must be given: "),
        (lambda: RWN(5), "rwn: give parameters by name. It has k, eps, "),
        (
            lambda: RISKS["linkage"](efort=3),
            "linkage: no parameter 'efort'; did you mean 'effort'? ",
        ),
        (lambda: Recipe(egs=2), "Recipe: no parameter 'egs'; did you mean 'eggs'? "),
    ],
)
def test_a_wrong_option_is_named_with_what_was_probably_meant(make, message):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda m: loads(dumps(m))])
def test_a_method_with_a_parameter_that_must_be_given_survives_copies(remake):
    assert remake(NBRS(eps=0.5, weights={"sex": 2})) == NBRS(eps=0.5, weights={"sex": 2})


def test_all_problems_are_told_together_in_order_of_declaration():
    with pytest.raises(ParameterError) as caught:
        RWN(q=5, k=0, scale="log")
    assert str(caught.value).splitlines() == [
        "rwn: `k` must be a whole number, 1 or more; got 0.",
        "rwn: `q` must be in [0, 1]; got 5.",
        "rwn: `scale` must be one of unit, zscore; got 'log'.",
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (pd.Series([48_211.73]), "a Series"),
        (pd.DataFrame({"a": ["secret"]}), "a DataFrame"),
        (np.array([48_211.73]), "a ndarray"),
        (["secret"], "a list"),
        ({"a": ["secret"]}, "a dict"),
        ("x" * 100, "a str"),
    ],
)
def test_data_given_by_mistake_are_not_shown(value, shown):
    with pytest.raises(ParameterError) as caught:
        RWN(k=value)
    assert str(caught.value) == f"rwn: `k` must be a whole number, 1 or more; got {shown}."


def test_parameters_are_declared_once_with_domain_meaning_and_default():
    eggs, salt, _, guests = Recipe.parameters()
    assert (eggs.name, eggs.domain, eggs.meaning, eggs.required) == (
        "eggs", Count(2), "how many eggs", True,
    )  # fmt: skip
    assert (salt.default, salt.required) == (0.01, False)
    assert (guests.default, guests.required) == (None, False)


def test_values_worth_trying_are_declared_beside_the_domain():
    assert {p.name: p.tries for p in Recipe.parameters()} == {
        "eggs": (), "salt": (), "oven": (), "guests": (2, 4),
    }  # fmt: skip


def test_a_parameter_reads_texts_and_plain_values_alike():
    eggs, salt, oven, guests = Recipe.parameters()
    assert eggs.read("3") == eggs.read(3) == 3
    assert salt.read("0.5") == salt.read(0.5) == 0.5
    assert oven.read("wood") == "wood"
    assert guests.read(None) is None
    for parameter, wrong in ((eggs, "1"), (eggs, 1), (salt, "15"), (oven, "coal"), (guests, "x")):
        with pytest.raises(ValueError):  # noqa: PT011
            parameter.read(wrong)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_what_methods_declare_to_try_is_legal_in_order_and_each_once(method):
    for parameter in method.parameters():
        assert list(map(parameter.read, parameter.tries)) == list(parameter.tries)
        assert len(set(parameter.tries)) == len(parameter.tries)
        if parameter.tries and isinstance(parameter.tries[0], int | float):
            assert list(parameter.tries) == sorted(parameter.tries)


def test_parameter_without_a_domain_is_a_mistake_of_the_programmer():
    @dataclass(frozen=True, kw_only=True)
    class Careless(Parameters):
        speed: float = 1.0

    with pytest.raises(TypeError, match="'speed' declares no domain"):
        Careless()


def test_settings_make_the_same_thing_again():
    made = Recipe(eggs=np.int64(3), oven="wood")
    assert made.settings() == {"eggs": 3, "salt": 0.01, "oven": "wood"}
    assert Recipe.from_settings(made.settings()) == made
    assert Recipe.from_settings({"eggs": "3", "oven": "wood"}) == made


def test_settings_problems_are_told_together():
    with pytest.raises(ParameterError) as caught:
        Recipe.from_settings({"sald": 0.1, "salt": 15, "guests": "none"})
    assert str(caught.value).splitlines() == [
        "Recipe: no parameter 'sald'; did you mean 'salt'? It has eggs, salt, oven, guests.",
        "Recipe: `salt` must be in [0, 1]; got 15.",
        "Recipe: `guests` must be a whole number, 1 or more; got 'none'.",
        "Recipe: `eggs` must be given: how many eggs.",
    ]


def test_parameters_cannot_be_changed_afterwards():
    with pytest.raises(AttributeError):
        Recipe(eggs=2).eggs = 3
