from __future__ import annotations

import numpy as np
import pytest

from swapmeet.base.params import ColumnName
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import ParameterError
from swapmeet.measures.utility.columns import Dummies, to_count, to_explain, to_predict
from swapmeet.measures.utility.regression import RSquared
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role


def nominal(codes, levels):
    return Variable("t", Kind.NOMINAL, np.array(codes, np.int32), levels)


def test_every_level_but_the_most_frequent_has_a_term_in_order_of_frequency():
    column = nominal([1, 1, 1, 0, 2, 2], 3)
    dummies = Dummies.of(column, column, missing=True)
    assert dummies.terms(column.values).tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 0]]
    assert dummies.names == ("t (level 2)", "t (level 3)")


@pytest.mark.parametrize(
    ("missing", "terms"), [(True, [[0, 1, 0], [0, 0, 1]]), (False, [[0, 1, 0]])]
)
def test_the_missing_value_is_a_level_if_asked(missing, terms):
    column = nominal([0, 1, -1], 2)
    assert Dummies.of(column, column, missing=missing).terms(column.values).tolist() == terms


def test_a_level_of_the_release_alone_has_a_term_and_one_of_neither_has_none():
    original, released = nominal([0, 0, 1], 5), nominal([0, 3, 1], 5)
    dummies = Dummies.of(original, released, missing=True)
    assert dummies.count == 2
    assert dummies.terms(released.values).tolist() == [[0, 0, 1], [0, 1, 0]]


def test_rare_levels_share_the_last_term():
    column = nominal([0] * 5 + [1] * 4 + [2] * 3 + [3] * 2 + [4], 5)
    terms = Dummies.of(column, column, missing=False, most=2).terms(column.values)
    assert terms.sum(axis=1).tolist() == [4, 3, 3]


def test_a_column_that_does_not_vary_has_no_terms():
    column = nominal([0, 0, 0], 1)
    assert Dummies.of(column, column, missing=True).terms(column.values).shape == (0, 3)


NUMBERS, CODES = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1], np.int32)


def comparison(*columns):
    variables = tuple(
        Variable(name, kind, CODES if kind is Kind.NOMINAL else NUMBERS, 2, role)
        for name, kind, role in columns
    )
    data = Microdata(variables, np.zeros(3, np.int32))
    masked = tuple(v.name for v in variables if v.role.masked)
    return Comparison(data, data, masked, masked)


PEOPLE = comparison(
    ("ill", Kind.NOMINAL, Role.SENSITIVE),
    ("age", Kind.NUMERIC, Role.KEY),
    ("grade", Kind.ORDINAL, Role.KEY),
    ("town", Kind.NOMINAL, Role.KEY),
    ("weight", Kind.NUMERIC, Role.KEEP),
)
BARE = comparison(("grade", Kind.ORDINAL, Role.KEY), ("town", Kind.NOMINAL, Role.KEY))


def test_a_regression_explains_the_last_masked_number_rather_than_a_rank():
    assert to_explain(PEOPLE, None) == "age"
    assert to_explain(BARE, None) == "grade"
    assert to_explain(PEOPLE, "weight") == "weight"


def test_what_is_predicted_is_sensitive_if_anything_is():
    assert to_predict(PEOPLE, None) == "ill"
    assert to_predict(BARE, None) == "town"


def test_what_is_counted_is_nominal_if_anything_is():
    assert to_count(PEOPLE, None) == "ill"
    assert to_count(BARE, None) == "town"
    assert to_count(comparison(("age", Kind.NUMERIC, Role.KEY)), None) == "age"


@pytest.mark.parametrize("choose", [to_explain, to_predict, to_count])
def test_an_unknown_name_is_told_with_a_hint(choose):
    with pytest.raises(Undefined, match="no common column 'agee'; did you mean 'age'"):
        choose(PEOPLE, "agee")


def test_a_name_is_one_text():
    assert ColumnName().parse("age") == "age"
    for wrong in (3, "", ["age"]):
        with pytest.raises(ParameterError, match="`target` must be the name of a column"):
            RSquared(target=wrong)
