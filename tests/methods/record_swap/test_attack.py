"""The intruder who knows record swapping: what they expect, and whom they find."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from test_record_swap import ROLES, TARGETED, make_households, schema_of, see

import swapmeet as sm
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.intruders.evidence import Evidence, KeptOrTraded
from swapmeet.methods.record_swap import RecordSwap

FRAME = make_households(300)
DATA = see(FRAME, TARGETED, **ROLES)
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
    data = see(FRAME, method, **ROLES)
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
    frame = FRAME.assign(income=np.random.default_rng(4).integers(0, 10_000, len(FRAME)))
    schema = schema_of(frame, **ROLES, sensitive=["income"])
    method = RecordSwap(similar=[["size"]], risk=["age"], k=0, swap_rate=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = sm.mask(frame, method, schema=schema, seed=1)
        return sm.assess(frame, release, schema=schema, measures=["linkage"])


def test_linkage_finds_those_who_did_not_move(card):
    """19 of 20 households stay, and their columns tell many of them apart."""
    keys = FRAME[["region", "district", "rent", "age"]]
    unique = ~keys.duplicated(keep=False).to_numpy()
    assert card["linkage"].value > 0.8 * unique.mean() > 0.2


def test_the_verdict_does_not_call_a_mild_swap_safe(card):
    assert not card.verdict.safe
