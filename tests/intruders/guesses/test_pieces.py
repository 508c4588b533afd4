"""The scan by parts against a plain one that looks at every row of one person at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers
from swapmeet.intruders.guesses.scan import MarkedParts, Secrets, Sight, guess_from_parts

ROWS, PEOPLE, COLUMNS, SECRETS = 25, 6, 4, 2


def make_tables(seed, *, levels=4):
    rng = np.random.default_rng(seed)

    def draw(n, columns):
        values = rng.integers(0, levels, (n, columns)).astype(float)
        return np.where(rng.random(values.shape) < 0.1, np.nan, values)

    sight = Sight(
        draw(ROWS, COLUMNS) / 4, draw(PEOPLE, COLUMNS) / 4, rng.random((PEOPLE, COLUMNS)) + 0.1,
        np.array([False, True, False, False]),
    )  # fmt: skip
    secrets = Secrets(
        draw(ROWS, SECRETS), rng.integers(0, levels, (PEOPLE, SECRETS)).astype(float),
        np.array([0.0, 1.0]), rng.integers(-3, PEOPLE, (ROWS, SECRETS)),
        rng.integers(-3, PEOPLE, (ROWS, COLUMNS)), rng.integers(-3, PEOPLE, ROWS),
        np.arange(PEOPLE),
    )  # fmt: skip
    sets = np.array([[True, True, False, False], [False, False, True, True], [False, True] * 2])
    return sight, secrets, MarkedParts(sets, np.array([[True, True], [False, True], [True, False]]))


def plain_guess(sight, secrets, used, arm, s, i):
    """By the nearest row, and by the nearest of those that agree most."""
    found = []
    for r in range(ROWS):
        if arm == 1 and i in {
            secrets.places[r], secrets.givers[r, s], *secrets.known_givers[r, used]
        }:  # fmt: skip
            continue
        one, other = sight.rows[r, used], sight.people[i, used]
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        apart = sight.nominal[used] | np.isnan(one) | np.isnan(other)
        gaps = np.where(same, 0.0, np.where(apart, 1.0, (one - other) ** 2))
        hit = abs(secrets.cells[r, s] - secrets.truth[i, s]) <= secrets.tolerance[s]
        found.append((gaps.sum(), sight.surprise[i, used][same].sum(), hit))
    if not found:
        return 0.0, 0.0
    away, like, hit = (np.array(part) for part in zip(*found, strict=True))
    most = like >= like.max() - 1e-9
    nearest = most & (away <= away[most].min() + 1e-9)
    return hit[away <= away.min() + 1e-9].mean(), hit[nearest].mean()


@given(st.integers(0, 10**6))
def test_the_best_rows_are_those_of_a_plain_search(seed):
    sight, secrets, parts = make_tables(seed)
    right = guess_from_parts(sight, secrets, parts, Workers(1))
    for arm, k, s, i in np.ndindex(2, 3, SECRETS, PEOPLE):
        used = np.flatnonzero(parts.sets[k])
        expected = plain_guess(sight, secrets, used, arm, s, i) if parts.questions[k, s] else (0, 0)
        assert right[arm, :, k, s, i] == pytest.approx(expected)


def test_workers_do_not_matter():
    tables = make_tables(1)
    one, two = (guess_from_parts(*tables, Workers(many)) for many in (1, 2))
    np.testing.assert_array_equal(one, two)
