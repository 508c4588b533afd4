from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.intruders.evidence import KeptOrTraded, code_both


def make(values, labels, stay, weights=None, doubt=0.0, rows=None):
    values = np.array(values, float)
    weights = np.ones(len(values)) if weights is None else np.array(weights, float)
    codes = code_both([values], [values if rows is None else np.array(rows, float)])
    return KeptOrTraded(
        ("place",), codes, np.array(labels), np.array(stay, float), weights, doubt=doubt
    )


def test_a_value_is_kept_or_that_of_a_partner_elsewhere():
    """Person 0 keeps place 1 with 0.7, else has 2 (two of three partners) or 3."""
    piece = make([1, 2, 2, 3, 1], [0] * 5, [0.7] * 5)
    shares = np.exp(piece.of_people(np.array([0]))[0])
    np.testing.assert_allclose(shares, [0.7, 0.2, 0.2, 0.1, 0.7])


def test_partners_count_by_their_weights_and_are_of_the_group():
    piece = make([1, 2, 3, 4], [0, 0, 0, 1], [0.5] * 4, weights=[1, 3, 1, 9], doubt=1e-9)
    shares = np.exp(piece.of_people(np.array([0]))[0])
    np.testing.assert_allclose(shares, [0.5, 0.375, 0.125, 0.0], atol=1e-8)


def test_who_has_no_possible_partner_keeps_what_they_have():
    piece = make([1, 1, 2], [0, 0, 1], [0.2] * 3, doubt=1e-9)
    shares = np.exp(piece.of_people(np.arange(3)))
    np.testing.assert_allclose(shares, [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-6)


@st.composite
def pieces(draw):
    n = draw(st.integers(1, 12))
    values = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    labels = np.unique(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)),
                       return_inverse=True)[1]  # fmt: skip
    stay = draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.floats(0.01, 1), min_size=n, max_size=n))
    rows = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return make(values, labels, stay, weights, 0.01, rows)


@given(pieces())
def test_people_and_rows_are_told_the_same_and_it_is_finite(piece):
    n = len(piece.labels)
    by_people = piece.of_people(np.arange(n))
    np.testing.assert_allclose(by_people, piece.of_rows(np.arange(n)).T, atol=1e-9)
    assert np.isfinite(by_people).all()
