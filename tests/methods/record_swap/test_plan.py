"""What record swapping refuses: one message each, with columns and counts, never a cell's value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_record_swap import ROLES, make_households, run

from swapmeet.errors import SchemaError, TableError
from swapmeet.methods.record_swap import RecordSwap

FRAME = make_households()


def refusal(frame, method, error=SchemaError, **roles):
    with pytest.raises(error) as caught:
        run(frame, method, **roles)
    return str(caught.value)


def test_a_table_without_a_place_needs_columns_to_trade():
    assert refusal(FRAME, RecordSwap()) == (
        "record-swap: nothing would trade, because no column has the role place. Give the levels "
        "of the place that role (or name them in `hierarchy`), or name in `columns` what should "
        "trade."
    )


@pytest.mark.parametrize("parameter", ["hierarchy", "columns"])
def test_what_trades_must_be_a_masked_column(parameter):
    message = refusal(FRAME, RecordSwap(**{parameter: ["distrct"]}), **ROLES)
    assert message.startswith(
        f"record-swap: `{parameter}`: 'distrct' is not a masked column; did you mean 'district'?"
    )
    assert "'size' is not a masked" in refusal(FRAME, RecordSwap(columns=["size"]), **ROLES)


def test_profiles_and_risk_columns_must_be_there():
    method = RecordSwap(similar=[["size", "typ"], ["siz"]], risk=["agee"])
    message = refusal(FRAME, method, **ROLES)
    assert "record-swap: `risk`: no column 'agee'; did you mean 'age'?" in message
    assert "record-swap: `similar`: no column 'typ'; did you mean 'type'?" in message
    assert "record-swap: `similar`: no column 'siz'; did you mean 'size'?" in message


def test_places_that_are_not_nested_are_counted():
    frame = FRAME.assign(district=FRAME["hid"] % 5)
    assert refusal(frame, RecordSwap(risk=[]), **ROLES) == (
        "record-swap: 5 of 5 areas of 'district' lie in several areas of 'region'; each must lie "
        "in one. Name the levels in `hierarchy` from large to small, or make their codes unique."
    )


def test_a_hierarchy_from_small_to_large_is_not_nested():
    method = RecordSwap(hierarchy=["district", "region"])
    assert "3 of 3 areas of 'region' lie in several areas of 'district'" in refusal(
        FRAME, method, **ROLES
    )


def test_missing_places_are_an_area_of_their_own_wherever_they_lie():
    frame = FRAME.assign(district=FRAME["district"].where(FRAME["hid"] % 7 > 0))
    assert run(frame, RecordSwap(risk=["age"]), **ROLES).donors.matrix.shape[0] == len(frame)


def test_households_in_two_places_are_counted():
    frame = FRAME.copy()
    big = frame["hid"][frame["size"] > 1].unique()[:2]
    for home in big:
        frame.loc[frame.index[frame["hid"] == home][0], "district"] = 11
        frame.loc[frame.index[frame["hid"] == home][1], "district"] = 10
    frame["region"] = frame["district"] // 4
    message = refusal(frame, RecordSwap(), **ROLES)
    assert (
        "record-swap: 2 households have rows in several areas of 'district'; a household has one "
        "place. Correct them, or check the column of the role household." in message
    )


def test_what_is_said_of_a_household_must_be_the_same_for_all_of_it():
    message = refusal(FRAME, RecordSwap(similar=["age"]), **ROLES)
    assert message.startswith("record-swap: `similar`: 'age' differs inside ")
    message = refusal(FRAME, RecordSwap(columns=["age"]), **ROLES)
    assert message.startswith("record-swap: `columns`: 'age' differs inside ")
    assert "households; only what is the same for a whole household will do." in message


def test_households_in_several_strata_are_refused():
    roles = {**ROLES, "strata": ["age"]}
    assert "households have rows in several strata" in refusal(FRAME, RecordSwap(), **roles)


def test_a_single_area_has_nobody_elsewhere():
    frame = FRAME.assign(region=1, district=2)
    message = refusal(frame, RecordSwap(), TableError, **ROLES)
    assert message == (
        "record-swap: all 200 households are in the same area of 'district'; nobody could trade."
    )


def test_columns_with_one_value_cannot_trade():
    frame = pd.DataFrame({"a": np.ones(4), "b": np.arange(4)})
    message = refusal(frame, RecordSwap(columns=["a"]), TableError)
    assert message == "record-swap: all 4 rows are alike in `columns`; nobody could trade."
