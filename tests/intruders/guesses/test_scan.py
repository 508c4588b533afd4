"""The scan against a plain one that looks at every row of one person at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers
from swapmeet.intruders.guesses.scan import (
    AGREEING,
    NEAREST,
    VOTE,
    VOTERS,
    Questions,
    Secrets,
    Sight,
    find_mode,
    guess_from_rows,
    share_of_blind_guess,
    share_of_modes,
)

ROWS, PEOPLE, COLUMNS, SECRETS = 25, 6, 3, 2


def make_tables(seed, *, levels=4):
    rng = np.random.default_rng(seed)

    def draw(n, columns):
        values = rng.integers(0, levels, (n, columns)).astype(float)
        return np.where(rng.random(values.shape) < 0.1, np.nan, values)

    sight = Sight(
        draw(ROWS, COLUMNS) / 4, draw(PEOPLE, COLUMNS) / 4, rng.random((PEOPLE, COLUMNS)) + 0.1,
        np.array([False, True, False]),
    )  # fmt: skip
    secrets = Secrets(
        draw(ROWS, SECRETS), rng.integers(0, levels, (PEOPLE, SECRETS)).astype(float),
        np.array([0.0, 1.0]), rng.integers(-3, PEOPLE, (ROWS, SECRETS)),
        rng.integers(-3, PEOPLE, (ROWS, COLUMNS)), rng.integers(-3, PEOPLE, ROWS),
        np.arange(PEOPLE),
    )  # fmt: skip
    questions = Questions(
        np.array([[True, True, True], [False, True, True]]), np.array([0, 1, 0]),
        np.array([-1, -1, 2]), np.array([0, 1, 1]),
    )  # fmt: skip
    return sight, secrets, questions


def plain_guess(sight, secrets, questions, arm, q, i):
    s = questions.secret[q]
    used = [
        j for j in range(COLUMNS) if questions.sets[questions.known[q], j] and j != questions.but[q]
    ]
    found = []
    for r in range(ROWS):
        gave = {secrets.places[r], secrets.givers[r, s], *secrets.known_givers[r, used]}
        if arm == 1 and i in gave:
            continue
        away = like = 0.0
        for j in used:
            one, other = sight.rows[r, j], sight.people[i, j]
            if one == other or (np.isnan(one) and np.isnan(other)):
                like += sight.surprise[i, j]
            elif sight.nominal[j] or np.isnan(one) or np.isnan(other):
                away += 1.0
            else:
                away += (one - other) ** 2
        hit = abs(secrets.cells[r, s] - secrets.truth[i, s]) <= secrets.tolerance[s]
        found.append((away, like, hit))
    if not found:
        return 0.0, 0.0
    away, like, hit = (np.array(part) for part in zip(*found, strict=True))
    return hit[away <= away.min() + 1e-9].mean(), hit[like >= like.max() - 1e-9].mean()


@given(st.integers(0, 10**6))
def test_the_best_rows_are_those_of_a_plain_search(seed):
    tables = make_tables(seed)
    right = guess_from_rows(*tables, Workers(1))
    for arm in range(2):
        for q in range(3):
            for i in range(PEOPLE):
                expected = plain_guess(*tables, arm, q, i)
                assert right[arm, [NEAREST, AGREEING], q, i] == pytest.approx(expected)


def make_line(cells, **changes):
    """One person at 0, rows at 0, 0.1, 0.2, ...; the true value is 1."""
    n = len(cells)
    rows = np.arange(n)[:, np.newaxis] / 10
    sight = Sight(rows, np.zeros((1, 1)), np.ones((1, 1)), np.array([False]))
    nobody = np.full((n, 1), -1)
    secrets = Secrets(
        np.array(cells)[:, np.newaxis], np.ones((1, 1)), np.zeros(1), nobody, nobody,
        nobody[:, 0], np.zeros(1, np.int64),
    )._replace(**changes)  # fmt: skip
    questions = Questions(np.array([[True]]), np.array([0]), np.array([-1]), np.array([0]))
    return guess_from_rows(sight, secrets, questions, Workers(1))[:, :, 0, 0]


def test_the_nearest_rows_vote():
    """1 has three of five votes; farther rows have none, and a missing value is no vote."""
    right = make_line([2.0, np.nan, 1.0, 1.0, 2.0, 1.0, 2.0, 2.0, 2.0])
    assert VOTERS == 5
    assert right[0, VOTE] == 1.0
    assert right[0, NEAREST] == 0.0


def test_without_the_own_row_the_next_one_is_read():
    right = make_line([1.0, 2.0, 2.0], places=np.array([0, 1, 2]))
    assert right[:, NEAREST].tolist() == [1.0, 0.0]
    assert right[:, AGREEING].tolist() == [1.0, 0.0]


def test_who_has_all_rows_leaves_nothing_to_guess_from():
    right = make_line([1.0, 1.0], places=np.array([0, 0]))
    assert right[0].tolist() == [1.0, 1.0, 1.0]
    assert right[1].tolist() == [0.0, 0.0, 0.0]


def test_threads_do_not_matter():
    tables = make_tables(3)
    assert (guess_from_rows(*tables, Workers(1)) == guess_from_rows(*tables, Workers(3))).all()


NUMBERS = st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=30)


def plain_share(values, truth, tolerance):
    counts = [sum(abs(one - other) <= tolerance for other in values) for one in values]
    modes = [v for v, count in zip(values, counts, strict=True) if count == max(counts)]
    return np.mean([abs(mode - truth) <= tolerance for mode in modes])


@given(NUMBERS, st.integers(-9, 9), st.sampled_from([0.0, 1.0, 2.5]))
def test_the_share_is_that_of_counting_every_pair(values, truth, tolerance):
    share = share_of_modes(np.array(values), len(values), float(truth), tolerance)
    assert share == plain_share(values, truth, tolerance)


@given(NUMBERS, st.sampled_from([0.0, 1.0, 2.5]))
def test_the_mode_is_one_of_the_most_frequent_values(values, tolerance):
    mode = find_mode(np.array(values), tolerance)
    counts = [sum(abs(one - other) <= tolerance for other in values) for one in values]
    assert max(counts) == counts[values.index(mode)]


def test_nothing_to_guess_from_is_never_right():
    assert share_of_modes(np.array([5.0]), 0, 5.0, 0.0) == 0.0
    assert share_of_blind_guess(np.array([np.nan]), np.array([5.0]), 0.0) == 0.0


def test_a_blind_guess_is_the_most_frequent_released_value():
    released, truth = np.array([1.0, 2.0, 2.0, np.nan]), np.array([1.0, 2.0, 2.0, 2.0, np.nan])
    assert share_of_blind_guess(released, truth, 0.0) == 3 / 5
