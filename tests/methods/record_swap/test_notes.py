from __future__ import annotations

import numpy as np
from test_record_swap import ROLES, TARGETED, make_households, run, see

import swapmeet as sm
from swapmeet.methods.record_swap.notes import find_telling_columns, tells_area
from swapmeet.methods.record_swap.plan import SwapPlan

STREETS = make_households(400).assign(
    street=lambda f: 10 * f["district"] + f["hid"] % 2, country=lambda f: f["region"] + 5
)
KEPT = {**ROLES, "keep": ["size", "type", "street", "country"]}


def test_columns_that_stay_and_tell_the_place_are_named():
    assert run(STREETS, TARGETED, **KEPT).notes[0] == (
        "these columns stay, and reveal the place that was traded away: street (the district), "
        "country (the region). Give them the role place, or drop."
    )


def test_a_few_gaps_and_errors_in_such_a_column_do_not_hide_it():
    streets = STREETS["street"].astype(float).where(STREETS["hid"] % 20 > 0)
    streets[STREETS["hid"] % 50 == 1] = 3.0
    found = run(STREETS.assign(street=streets), TARGETED, **KEPT).notes[0]
    assert "street (the district)" in found


def test_it_is_told_if_most_must_trade():
    method = sm.RecordSwap(similar=[["size"], []], risk=["age", "rent"], k=4)
    notes = run(make_households(), method, **ROLES).notes
    assert notes[0].endswith(
        "of 200 households must trade, because the risk columns tell most people apart. Name fewer "
        "in `risk`, or lower `k`, if most should stay."
    )
    assert not any("must trade, because" in n for n in run(STREETS, TARGETED, **KEPT).notes)


def test_nothing_is_said_of_columns_that_tell_no_place_or_move_themselves():
    assert not any(
        "traded away" in note for note in run(make_households(), TARGETED, **ROLES).notes
    )
    moved = {**ROLES, "place": ["region", "district", "street", "country"]}
    method = sm.RecordSwap(hierarchy=["region", "district"], similar=[["size"]], risk=["age"])
    assert find_telling_columns(SwapPlan.of(method, see(STREETS, method, **moved))) == {}


def test_numbers_of_which_each_is_found_once_tell_no_place():
    areas = np.arange(40) % 4
    assert not tells_area(np.arange(40.0), areas)
    assert not tells_area(np.arange(40.0) % 5, areas)
    assert tells_area(np.arange(40.0) % 8, areas)
    assert not tells_area(np.arange(40.0) % 8, np.zeros(40, np.int64))


def test_columns_that_another_part_masks_do_not_stay(masked):
    frame = STREETS.assign(street=STREETS["street"].astype(float))
    parts = [(TARGETED, ["region", "district"]), (sm.RWN(k=3), ["street", "age", "rent"])]
    roles = {**ROLES, "keep": ["size", "type", "country"]}
    release = masked(frame, sm.PerColumn(parts=parts), **roles, seed=1)
    (note,) = (note for note in release.notes if "traded away" in note)
    assert "country" in note
    assert "street" not in note
