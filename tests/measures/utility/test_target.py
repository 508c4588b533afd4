from __future__ import annotations

import numpy as np
import pytest

from swapmeet.base.params import ColumnName
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import ParameterError
from swapmeet.measures.utility.model_columns import to_count, to_explain, to_predict
from swapmeet.measures.utility.r_squared import RSquared
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind, Role

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
