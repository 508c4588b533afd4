from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.comparison.comparison import Comparison
from swapmeet.measures.utility.screened_propensity import split_in_halves
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def comparison(numbers, codes, released=None):
    def table(x, t):
        variables = (Variable("x", Kind.NUMERIC, x), Variable("t", Kind.NOMINAL, t, 4))
        return Microdata(variables, np.zeros(len(x), np.int32))

    original = table(numbers, codes)
    return Comparison(original, table(*released) if released else original, ("x",), ("x",))


def split(*tables):
    found = comparison(*tables)
    return split_in_halves(found, np.arange(found.n))


def test_halves_are_about_even_also_where_all_rows_are_the_same():
    """Each is binomial with 4,000 tosses: 6 standard deviations are 190; error rate 2e-9."""
    rng = np.random.default_rng(0)
    varied = rng.normal(size=4_000), rng.integers(0, 4, 4_000).astype(np.int32)
    for numbers, codes in (varied, (np.ones(4_000), np.zeros(4_000, np.int32))):
        one, other = split(numbers, codes)
        assert abs(one.sum() - 2_000) < 190
        np.testing.assert_array_equal(one, other)


@given(rows=st.lists(st.tuples(st.sampled_from([0.0, 1.5, np.nan]), st.integers(-1, 3)),
                     min_size=1, max_size=30), seed=st.integers(0, 99))  # fmt: skip
def test_the_order_of_rows_does_not_matter(rows, seed):
    """How many of each content are in the first half stays, duplicates and missing included."""
    numbers = np.array([x for x, _ in rows])
    codes = np.array([t for _, t in rows], np.int32)
    order = np.random.default_rng(seed).permutation(len(rows))
    one, other = split(numbers, codes, (numbers[order], codes[order]))

    def contents(chosen, x, t):
        return sorted(zip(np.nan_to_num(x[chosen], nan=9.0), t[chosen], strict=True))

    assert contents(one, numbers, codes) == contents(other, numbers[order], codes[order])
