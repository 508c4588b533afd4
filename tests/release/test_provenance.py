"""Whose cells stand in released rows."""

import numpy as np

from swapmeet.release.donors import DonorMap
from swapmeet.release.provenance import ELSEWHERE, Provenance

COLUMNS = ("a", "b", "c")


def _provenance(donors, *, owned=True):
    return Provenance.of(DonorMap(np.array(donors)), COLUMNS, None, owned=owned)


def test_whoever_gave_most_of_the_cells_is_the_giver():
    found = _provenance([[1, 1, 0], [0, 2, 1], [2, -1, -2]])
    assert found.find_givers(COLUMNS).tolist() == [1, -1, -1]
    assert found.find_givers(["c"]).tolist() == [0, 1, -1]
    assert found.find_givers([]).tolist() == [-1, -1, -1]


def test_half_of_the_cells_are_not_most_of_them():
    found = _provenance([[1, 0, 0], [0, 0, 0]])
    assert found.find_givers(["a", "b"]).tolist() == [-1, 0]


def test_synthetic_rows_stand_in_nobodys_place():
    assert _provenance([[1, 1, 0], [0, 0, 1]], owned=False).place.tolist() == [-1, -1]


def test_a_row_that_moved_as_a_whole_still_tells_in_whose_place_it_stands():
    found = _provenance([[1, 1, 1], [0, 0, 0], [2, 2, 2]])
    assert found.place.tolist() == [1, 0, 2]
    assert found.donors.tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]


def test_people_outside_of_a_sample_are_elsewhere():
    found = _provenance([[1, 2, 0], [0, 1, 2], [2, 0, 1]]).sample(np.array([0, 2]))
    assert found.donors.tolist() == [[ELSEWHERE, 1, 0], [1, 0, ELSEWHERE]]
    assert found.place.tolist() == [0, 1]


def test_nothing_is_printed_of_who_gave_to_whom():
    assert repr(_provenance([[1, 1, 0], [0, 0, 1]])) == "<Provenance of 2 rows and 3 columns>"


def test_columns_that_stayed_or_moved_as_one_are_listed():
    found = _provenance([[0, 1, 1], [1, 0, 0], [2, 2, 2]])
    assert found.list_blocks(COLUMNS) == [("a",), ("b", "c")]
    found = _provenance([[0, 1, 0], [1, 0, 0], [2, 2, 2]])
    assert found.list_blocks(COLUMNS) == [("a",)]
    assert found.list_blocks(("b", "elsewhere")) == []


def test_the_rows_of_a_person_hold_a_cell_of_theirs_or_stand_in_their_place():
    found = _provenance([[1, 2, 0], [0, 1, 2], [2, 0, -2]])
    who, rows = found.find_rows_of(np.array([2, 0]))
    assert {*zip(who.tolist(), rows.tolist(), strict=True)} == {
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)
    }  # fmt: skip
    who, rows = found.find_rows_of(np.array([1]))
    assert {*zip(who.tolist(), rows.tolist(), strict=True)} == {(0, 0), (0, 1)}
    assert found.made == ("c",)


def test_a_claim_about_all_rows_is_one_about_some():
    assert Provenance.claim().sample(np.array([5, 3])).place.tolist() == [0, 1]
