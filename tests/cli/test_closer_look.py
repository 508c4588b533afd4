from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.cli.inspect import LINES, _list_bins


@pytest.fixture
def crowd(out):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"a, b": rng.normal(size=300), "c": rng.normal(size=300)})
    table.to_csv(out / "crowd.csv", index=False)
    return out / "crowd.csv"


def test_crowding_is_that_of_the_library(swapmeet, crowd):
    told = swapmeet("inspect", crowd, "--crowding", "k=5:eps=0.1", "--json").json["crowding"]
    found = sm.crowding(pd.read_csv(crowd), sm.RWN(k=5, eps=0.1))
    assert told["counts"] == [list(row) for row in found.counts]
    run = swapmeet("inspect", crowd, "--crowding", "k=5:eps=0.1")
    assert "Neighbourhoods with k = 5, eps = 0.1" in run.out
    assert "rows in the neighbourhood" in run.out
    assert "distance to the farthest neighbour" in run.out


def test_crowding_of_nbrs_is_asked_for_by_its_name(swapmeet, crowd):
    told = swapmeet("inspect", crowd, "--crowding", "nbrs:eps=0.5", "--json").json["crowding"]
    found = sm.crowding(pd.read_csv(crowd), sm.NBRS(eps=0.5))
    assert told["counts"] == [list(row) for row in found.counts]
    assert told["farthest_counts"] == list(found.farthest_counts)
    run = swapmeet("inspect", crowd, "--crowding", "nbrs:eps=0.5")
    assert "Neighbourhoods with eps = 0.5" in run.out


def test_widths_are_those_of_the_library(swapmeet, crowd):
    told = swapmeet("inspect", crowd, "--widths", "c", "--json").json["widths"]
    found = sm.propose_widths(pd.read_csv(crowd), ["c"])
    assert [p["degree"] for p in told["proposals"]] == [p.degree for p in found.proposals]
    assert "smallest cell" in swapmeet("inspect", crowd, "--widths", "c").out


def test_without_asking_nothing_is_added(swapmeet, crowd):
    assert not {"crowding", "widths"} & swapmeet("inspect", crowd, "--json").json.keys()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--crowding", "5"), 2, "write NAME=VALUE, such as k=5:eps=0.2"),
        (("--crowding", "kk=5"), 2, "did you mean 'k'?"),
        (("--crowding", "noise:level=1"), 2, "must have neighbourhoods"),
        (("--crowding", "k=-1"), 2, "`k` must be"),
        (("--widths", "d"), None, "'d' is not a masked column"),
    ],
)
def test_what_is_not_understood_is_refused(swapmeet, crowd, options, code, message):
    run = swapmeet("inspect", crowd, *options)
    assert run.code in ({2, 3} if code is None else {code})
    assert message in run.err


@pytest.mark.parametrize("bins", [1, 2, 8, 9, 20, 25])
def test_everybody_who_is_counted_is_in_one_line(bins):
    edges, counts = [float(i) for i in range(1, bins)], list(range(bins))
    rows = _list_bins(edges, counts)
    assert sum(int(people) for _, people in rows) == sum(counts)
    assert len(rows) <= LINES
