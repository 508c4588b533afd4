from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.core.tables.formulas import Factor, Formula
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.errors import ParameterError, SchemaError


def microdata(**columns):
    frame = pd.DataFrame(columns)
    return Microdata.of(Table(frame), sm.Schema.infer(frame))


def test_terms_products_and_crossings():
    formula = Formula.parse("y ~ a + C(b) + a:c + a*d + `odd name`")
    assert formula.response == "y"
    assert formula.terms == (
        (Factor("a"),),
        (Factor("b", by_category=True),),
        (Factor("a"), Factor("c")),
        (Factor("d"),),
        (Factor("a"), Factor("d")),
        (Factor("odd name"),),
    )
    assert formula.columns == ("y", "a", "b", "c", "d", "odd name")


@pytest.mark.parametrize(
    "text",
    ["", "y", "~ a", "y ~", "y ~ a +", "y ~ a ++ b", "y ~ 3", "y ~ a*b*c", "C(y) ~ a",
     "y ~ __import__('os')", "y ~ C(a", "y ~ a b", "y ~ a - b", "y ~ log(a)", "y ~ a ~ b"],
)  # fmt: skip
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(ParameterError, match="is not understood"):
        Formula.parse(text)


def test_unknown_columns_and_a_nominal_response_are_refused():
    data = microdata(wage=[1.5, 2.5, 3.5], sex=["f", "m", "f"])
    with pytest.raises(SchemaError, match="no column 'wags'"):
        Formula.parse("wage ~ wags").check(data)
    with pytest.raises(SchemaError, match="response 'sex' is nominal"):
        Formula.parse("sex ~ wage").check(data)


def test_design_has_an_intercept_dummies_and_products():
    data = microdata(y=[1.5, 2.5, 3.5, 4.5], a=[0.5, 1.5, 2.5, 3.5], s=["f", "m", "m", None])
    names, design = Formula.parse("y ~ a*s").design(data, data)
    assert names == ["intercept", "a", "s (category 2)", "a:s (category 2)"]
    nan = np.nan
    expected = [[1, 0.5, 0, 0], [1, 1.5, 1, 1.5], [1, 2.5, 1, 2.5], [1, 3.5, nan, nan]]
    assert np.array_equal(design, expected, equal_nan=True)


def test_a_zero_leaves_the_intercept_out():
    data = microdata(y=[1.5, 2.5, 3.5], a=[0.5, 1.5, 2.5])
    names, design = Formula.parse("y ~ 0 + a").design(data, data)
    assert names == ["a"]
    assert design.tolist() == [[0.5], [1.5], [2.5]]
    with pytest.raises(ParameterError):
        Formula.parse("y ~ 0")


def test_signs_between_backquotes_are_letters_of_a_name():
    formula = Formula.parse("`a~b` ~ `c+d`*`e:f` + C(`g*h`)")
    assert formula.columns == ("a~b", "c+d", "e:f", "g*h")
    assert formula.terms[2] == (Factor("c+d"), Factor("e:f"))


@pytest.mark.parametrize("text", ["a ~ b ~ c", "`a ~ b", "a`b` ~ c", "`a~b`"])
def test_too_many_sides_and_lone_backquotes_are_refused(text):
    with pytest.raises(ParameterError, match="is not understood"):
        Formula.parse(text)
