from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.measures.risk.disclosure import caveat, find_worst, pairings
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def data(**columns):
    kinds = {"f": Kind.NUMERIC, "i": Kind.NOMINAL}
    variables = []
    for name, values in columns.items():
        values = np.asarray(values)
        kind = kinds[values.dtype.kind]
        codes = values.astype(np.int32) if kind is Kind.NOMINAL else values
        variables.append(Variable(name, kind, codes, 4 if kind is Kind.NOMINAL else 0))
    return Microdata(tuple(variables), np.zeros(len(values), np.int32))


def comparison(original, released, known=None):
    return Comparison(original, released, original.names, known or original.names)


def test_records_in_the_same_place_are_paired():
    original = data(x=[30.0, 10.0, 20.0], y=[1.0, 2.0, 3.0])
    released = data(x=[1.5, 1.1, 1.9], y=[9.0, 8.0, 7.0])
    by_x, by_y = pairings(comparison(original, released))
    assert (by_x.column, by_y.column) == ("x", "y")
    assert by_x.original.tolist() == [1, 2, 0]
    assert by_x.released.tolist() == [1, 0, 2]
    assert by_x.released_of_original.tolist() == [2, 1, 0]
    assert by_x.original_of_released.tolist() == [2, 1, 0]
    assert by_y.released_of_original.tolist() == [2, 1, 0]


def test_missing_values_come_last():
    one = data(x=[np.nan, 10.0, -5.0])
    other = data(x=[3.0, np.nan, 2.0])
    (pairing,) = pairings(comparison(one, other))
    assert pairing.original.tolist() == [2, 1, 0]
    assert pairing.released.tolist() == [2, 0, 1]


def test_tied_rows_are_in_no_order():
    """Of 1,000 tied rows one is expected to meet its own; P(more than 8) < 1e-5."""
    rng = np.random.default_rng(0)
    table = data(x=np.zeros(1000), y=rng.normal(size=1000))
    by_x, by_y = pairings(comparison(table, table))
    assert (by_x.released_of_original == np.arange(1000)).sum() <= 8
    assert (by_y.released_of_original == np.arange(1000)).all()


def test_the_rows_that_meet_do_not_depend_on_the_order_of_the_files():
    """Ties, and a nominal column whose codes another order of rows would change."""
    rng = np.random.default_rng(1)
    tied, word = rng.integers(0, 4, 60) * 1.0, np.repeat([0, 1, 2], [30, 20, 10])
    tables = [data(x=tied, w=word), data(x=rng.permutation(tied), w=rng.permutation(word))]
    orders = [rng.permutation(60) for _ in tables]
    recoded = np.array([2, 0, 1])
    others = [
        data(x=table["x"].values[order], w=recoded[table["w"].values[order]])
        for table, order in zip(tables, orders, strict=True)
    ]
    (one,), (other,) = pairings(comparison(*tables)), pairings(comparison(*others))

    def met(pairing, original, released, codes):
        rows = pairing.released_of_original
        return sorted(zip(original["x"].values, codes[original["w"].values],
                          released["x"].values[rows], codes[released["w"].values[rows]],
                          strict=True))  # fmt: skip

    assert met(one, *tables, recoded) == met(other, *others, np.arange(3))


def test_only_known_columns_with_numbers_are_sorted_by():
    table = data(x=[1.0, 2.0], y=[3.0, 4.0], w=[0, 1])
    assert [p.column for p in pairings(comparison(table, table, ("w", "y")))] == ["y"]
    with pytest.raises(Undefined, match="no column with numbers to sort by"):
        list(pairings(comparison(table, table, ("w",))))


def test_the_worst_column_is_the_first_of_the_largest():
    assert find_worst({"a": 0.1, "b": 0.3, "c": 0.3}) == ("b", 0.3)


def test_every_sorted_measure_says_what_to_believe():
    assert caveat("rid-sorted").endswith("where rid has a value, rely on that instead")
