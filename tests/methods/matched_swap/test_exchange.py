from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.base.notes import merge_notes
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.methods.matched_swap.exchange import exchange_units, note_remainder
from swapmeet.methods.matched_swap.trading.matching import Remainder
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

STREAMS = Seed.chosen_by_user(1).within("test")


def make_table(n):
    rng = np.random.default_rng(n)
    x, town = rng.normal(size=n), rng.choice(list("abc"), n)
    y, z = x + rng.normal(size=n), rng.normal(size=n) - x
    frame = pd.DataFrame({"x": x, "town": town, "y": y, "z": z})
    return frame, Microdata.of(Table(frame), sm.Schema.infer(frame))


def test_rows_in_no_group_stay_and_give_to_nobody():
    _, data = make_table(100)
    labels = np.where(np.arange(100) % 10 == 0, -1, np.arange(100) // 25)
    donors = exchange_units(data, labels, [["y"], ["z"]], STREAMS, Workers()).donors
    assert (donors[::10] == np.arange(0, 100, 10)[:, np.newaxis]).all()
    assert (labels[donors] == labels[:, np.newaxis]).all()
    assert all(sorted(column) == list(range(100)) for column in donors.T.tolist())
    assert (donors[labels >= 0] != np.flatnonzero(labels >= 0)[:, np.newaxis]).mean() > 0.8


def test_groups_may_be_numbered_with_gaps():
    _, data = make_table(60)
    labels = np.repeat([7, 3, 11], 20)
    donors = exchange_units(data, labels, [["y"]], STREAMS, Workers()).donors
    assert (labels[donors[:, 0]] == labels).all()


def test_relations_to_columns_that_stay_are_kept():
    frame, data = make_table(400)
    labels = np.arange(400) // 20
    donors = exchange_units(data, labels, [["y", "z"]], STREAMS, Workers()).donors[:, 0]
    assert (donors != np.arange(400)).mean() > 0.8
    released = frame.assign(y=frame["y"].to_numpy()[donors], z=frame["z"].to_numpy()[donors])
    numbers = ["x", "y", "z"]
    assert (released[numbers].corr() - frame[numbers].corr()).abs().to_numpy().max() < 0.01


def test_without_any_group_nothing_moves_and_nothing_is_said():
    _, data = make_table(5)
    exchange = exchange_units(data, np.full(5, -1), [["y"]], STREAMS, Workers())
    assert exchange.donors[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert exchange.facts == ()


def test_one_trade_that_weakens_a_relation_is_made_up_for_by_another():
    """Groups {0, 1} and {2, 3}; either trade changes the sum of x · s, by -1 and by 1.

    So both are made, or none, each in half of the runs (error rate 2 · 0.5²⁰).
    """
    frame = pd.DataFrame({"x": [0.0, 1.0, 10.0, 11.0], "s": [1.0, 2.0, 4.0, 3.0]})
    schema = sm.Schema.infer(frame).assign(numeric=["x", "s"])
    data, labels = Microdata.of(Table(frame), schema), np.array([0, 0, 1, 1])
    streams = [Seed.chosen_by_user(seed).within("test") for seed in range(20)]
    found = [exchange_units(data, labels, [["s"]], one, Workers()).donors[:, 0] for one in streams]
    assert {tuple(donors.tolist()) for donors in found} == {(0, 1, 2, 3), (1, 0, 3, 2)}


def test_what_is_left_of_blocks_is_their_mean_by_rows():
    one = note_remainder(Remainder(0.5, 0.0, 0.5), 100)
    two = note_remainder(Remainder(0.1, 0.0, 0.1), 300)
    [note] = merge_notes([[one], [two]], rows=400)
    assert "correlations differ by at most 0.2, " in note
    assert note.endswith("tables of two columns in at most 20 % of the rows.")
