"""Evidence about units, for their rows."""

import numpy as np
import pytest

from swapmeet.intruders.evidence import Agreement, GroupShares, UnitLikelihood, code_both

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
