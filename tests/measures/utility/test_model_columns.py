from __future__ import annotations

import numpy as np
import pytest

from swapmeet.measures.utility.model_columns import Dummies
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind


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
