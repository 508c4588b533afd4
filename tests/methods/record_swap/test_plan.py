"""What record swapping refuses: one message each, with columns and counts, never a cell's value."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from test_record_swap import ROLES, TARGETED, make_households, run, schema_of, see

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import SchemaError, TableError
from swapmeet.intruders.evidence import Evidence, KeptOrTraded
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


AREAS = make_households(300)
DATA = see(AREAS, TARGETED, **ROLES)
RUNS = 200


def release_of(data, method, number=0):
    donors = method.outcome(data, Seed.chosen_by_user(9).within(number), Workers(1)).donors.matrix
    variables = tuple(
        replace(v, values=v.values[given])
        for v, given in zip(data.variables, donors.T, strict=True)
    )
    return replace(data, variables=variables)


def test_one_piece_speaks_of_all_levels():
    (piece,) = TARGETED.attack(Evidence(DATA, release_of(DATA, TARGETED)))
    assert isinstance(piece, KeptOrTraded)
    assert piece.columns == ("region", "district")


@pytest.mark.slow
def test_people_stay_as_often_as_the_attack_says():
    """Mean over people of |stated - found| in 200 runs; sampling alone gives about 0.02."""
    (piece,) = TARGETED.attack(Evidence(DATA, DATA))
    stayed = np.zeros(DATA.n)
    for number in range(RUNS):
        same = release_of(DATA, TARGETED, number)["district"].values == DATA["district"].values
        stayed += same / RUNS
    assert 0.1 < stayed.mean() < 0.9
    assert np.abs(piece.stay - stayed).mean() < 0.05
    assert abs(piece.stay.mean() - stayed.mean()) < 0.02


def test_who_must_trade_is_known_to_have_moved():
    method = RecordSwap(similar=[["size"], []], risk=["age"], k=5, swap_rate=0.0)
    data = see(AREAS, method, **ROLES)
    (piece,) = method.attack(Evidence(data, release_of(data, method)))
    assert (piece.stay < 0.05).any()
    assert (piece.stay > 0.7).any()


@pytest.mark.parametrize("known", [["district"], ["district", "age"], ["age"], ["region"]])
def test_an_intruder_who_knows_less_uses_what_they_know(known):
    seen = Evidence(DATA, release_of(DATA, TARGETED)).select([*known, "unknown"])
    places = tuple(name for name in ("region", "district") if name in known)
    pieces = TARGETED.attack(replace(seen, people=replace(seen.people, context=())))
    assert [piece.columns for piece in pieces] == ([places] if places else [])
    for piece in pieces:
        assert np.isfinite(piece.of_people(np.arange(DATA.n))).all()


@pytest.fixture(scope="module")
def card():
    frame = AREAS.assign(income=np.random.default_rng(4).integers(0, 10_000, len(AREAS)))
    schema = schema_of(frame, **ROLES, sensitive=["income"])
    method = RecordSwap(similar=[["size"]], risk=["age"], k=0, swap_rate=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = sm.mask(frame, method, schema=schema, seed=1)
        return sm.assess(frame, release, schema=schema, measures=["linkage"])


def test_linkage_finds_those_who_did_not_move(card):
    """19 of 20 households stay, and their columns tell many of them apart."""
    keys = AREAS[["region", "district", "rent", "age"]]
    unique = ~keys.duplicated(keep=False).to_numpy()
    assert card["linkage"].value > 0.8 * unique.mean() > 0.2


def test_the_verdict_does_not_call_a_mild_swap_safe(card):
    assert not card.verdict.safe
