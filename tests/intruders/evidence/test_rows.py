"""Evidence about units, for their rows."""

from __future__ import annotations

import numpy as np
import pytest

from swapmeet.intruders.evidence import Agreement, GroupShares, UnitLikelihood, code_both
from swapmeet.intruders.evidence.rows import FAR, TypeEvidence, WholeUnits

PERSON = np.array([0, 0, 1, 2, 2, 2])
ROW = np.array([2, 0, 1, 1, 0, 2])


@pytest.fixture(params=["agreement", "groups"])
def piece(request):
    codes = code_both([np.array([5.0, 7.0, 5.0])], [np.array([7.0, 5.0, 5.0])])
    if request.param == "agreement":
        return Agreement(("x",), codes, doubt=0.1)
    return GroupShares(("x",), codes, np.array([0, 0, 1]), doubt=0.1)


def test_a_row_fits_a_person_as_its_unit_fits_theirs(piece):
    spread = UnitLikelihood(("x",), piece, PERSON, ROW)
    between = piece.of_people(np.arange(3))
    everybody = np.arange(6)
    expected = between[PERSON][:, ROW]
    assert np.allclose(spread.of_people(everybody), expected)
    assert np.allclose(spread.of_rows(everybody), expected.T)
    assert np.allclose(spread.of_people(np.array([4, 1, 4])), expected[[4, 1, 4]])
    assert np.allclose(spread.of_anybody(6), piece.of_anybody(3)[ROW])


def test_likely_people_are_all_members_of_likely_units():
    codes = code_both([np.array([5.0, 7.0, 5.0])], [np.array([7.0, 5.0, 5.0])])
    spread = UnitLikelihood(("x",), Agreement(("x",), codes, doubt=0.1), PERSON, ROW)
    assert spread.for_few
    found = spread.find_likely(0)
    assert sorted(found.people.tolist()) == [0, 1, 3, 4, 5]
    everybody = np.arange(6)
    assert np.allclose(spread.of_few(0, everybody), spread.of_rows(np.array([0]))[0])


PEOPLE = np.array([[0, 3], [2, 1]])
ROWS = np.array([[4, 0], [1, 3]])


def make():
    """Two units of two members; one person and row, 4 and 2, are left to themselves."""
    units = code_both([np.array([5.0, 7.0])], [np.array([7.0, 5.0])])
    alone = code_both([np.array([4.0])], [np.array([4.0])])
    piece = Agreement(("x",), units, doubt=0.1)
    rest = Agreement(("x",), alone, doubt=0.1)
    return piece, rest, WholeUnits(("x",), (TypeEvidence((piece,), PEOPLE, ROWS),), (rest,), 5)


def test_members_are_compared_with_members_in_their_place():
    piece, rest, whole = make()
    between, logs = piece.of_people(np.arange(2)), whole.of_people(np.arange(5))
    expected = np.full((5, 5), FAR)
    for one in range(2):
        for other in range(2):
            for member in range(2):
                expected[PEOPLE[one, member], ROWS[other, member]] = between[one, other]
    expected[4, 2] = rest.of_people(np.array([0]))[0, 0]
    assert np.allclose(logs, expected)


def test_rows_and_people_say_the_same():
    *_, whole = make()
    everybody = np.arange(5)
    assert np.allclose(whole.of_people(everybody), whole.of_rows(everybody).T)
    assert np.allclose(whole.of_people(np.array([3, 0])), whole.of_people(everybody)[[3, 0]])


def test_everybody_is_somebody():
    *_, whole = make()
    assert (whole.of_anybody(5) > FAR).all()
