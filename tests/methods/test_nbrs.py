from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.algorithms.encode import Encoding, Scale
from swapmeet.algorithms.neighbors import DrawTask, NeighborSearch, Rule, draw_members
from swapmeet.base.cache import Cache
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

EXAMPLES = [sm.NBRS(eps=2.0), sm.NBRS(eps=1.0, q=0.4, weights=0.2)]
"""For the contract of all methods."""

GOLDEN = ["age", "sex", "wkswrkd", "ms", "phd", "wageinc"]


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


# anchors


def test_q_0_leaves_everything_in_place(masked):
    frame = sm.datasets.load("diabetes")
    assert masked(frame, sm.NBRS(eps=3.0, q=0), seed=1).data.equals(frame)


def test_a_ball_that_leaves_hardly_anybody_is_refused_with_one_that_does(masked):
    people = sm.datasets.load("diabetes")
    with pytest.raises(ParameterError, match=r"nbrs: 44. of 442 records") as refusal:
        sm.mask(people, sm.NBRS(eps=0.2), seed=1)
    enough = float(re.search(r"With eps = ([0-9.]+) about 90%", str(refusal.value))[1])
    release = masked(people, sm.NBRS(eps=enough), seed=1)
    left = 1.0 - (release.audit.donors == -1).all(axis=1).mean()
    assert 0.9 <= left < 0.95


def test_a_ball_that_leaves_a_tenth_is_not_refused(masked):
    people = sm.datasets.load("diabetes")
    release = masked(people, sm.NBRS(eps=1.2), seed=1)
    assert 0.5 < (release.audit.donors == -1).all(axis=1).mean() < 0.95


def test_tiny_ball_suppresses_every_distinct_record(masked):
    few = sm.datasets.load("diabetes").head(49)
    release = masked(few, sm.NBRS(eps=1e-9), seed=1)
    assert (release.audit.donors == -1).all()
    assert release.data.isna().all(axis=None)
    assert release.notes[-1].startswith("49 of 49 records have no neighbour and were suppressed")


def test_huge_ball_redraws_from_the_whole_table(masked):
    release = masked(sm.datasets.load("diabetes"), sm.NBRS(eps=1e6), seed=1)
    assert release.audit.moved.all()
    assert len(np.unique(release.audit.donors[:, 0])) > 200


# by hand


@pytest.mark.parametrize(
    ("n", "q", "chosen"),
    [(100, 0.29, 29), (100, 0.57, 57), (7, 0.5, 3), (442, 0.1, 44), (10, 0.99, 9), (10, 1.0, 10)],
)
def test_exactly_the_floor_of_the_share_is_chosen(n, q, chosen):
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(n), "y": np.arange(n) * 1.0})
    release = sm.mask(frame, sm.NBRS(eps=100.0, q=q), schema=numeric(frame), seed=1)
    assert release.audit.moved.all(axis=1).sum() == chosen
    assert release.audit.moved.any(axis=1).sum() == chosen


def test_records_at_exactly_eps_are_outside():
    """Values 1, 2, 3 have standard deviation 1."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    with pytest.warns(sm.SwapmeetWarning, match="3 of 3 records have no neighbour"):
        closed = sm.mask(frame, sm.NBRS(eps=1.0), seed=1)
    assert closed.data["x"].isna().all()
    opened = sm.mask(frame, sm.NBRS(eps=1.0 + 1e-9), seed=1)
    assert opened.audit.donors[[0, 2], 0].tolist() == [1, 1]
    assert opened.audit.donors[1, 0] in {0, 2}


def test_only_the_lonely_record_is_suppressed_and_as_a_whole():
    frame = pd.DataFrame({"x": [1, 2, 3, 900], "t": ["a", "a", "a", "b"], "kept": [1, 2, 3, 4]})
    schema = sm.Schema.infer(frame).assign(keep=["kept"], numeric=["x"])
    with pytest.warns(sm.SwapmeetWarning) as told:
        release = sm.mask(frame, sm.NBRS(eps=0.5), schema=schema, seed=1)
    assert any("1 of 4 records has no neighbour" in str(one.message) for one in told)
    assert release.data.isna().to_numpy().tolist() == [[False] * 3] * 3 + [[True, True, False]]
    assert release.data["x"].dtype == "Int64"
    assert release.data["kept"].tolist() == [1, 2, 3, 4]


def test_each_column_of_a_chosen_record_has_its_own_draw(masked):
    donors = masked(sm.datasets.load("diabetes"), sm.NBRS(eps=1e6), seed=1).audit.donors
    assert (donors[:, 0] == donors[:, 1]).mean() < 0.05


def test_chosen_records_differ_between_seeds(masked):
    frame = sm.datasets.load("diabetes")
    one, two = (masked(frame, sm.NBRS(eps=1e6, q=0.5), seed=s).audit.moved[:, 0] for s in (1, 2))
    assert one.sum() == two.sum() == 221
    assert (one != two).mean() > 0.3


def test_donors_are_nearer_than_eps(masked):
    frame = sm.datasets.load("diabetes")
    schema = numeric(frame)
    release = masked(frame, sm.NBRS(eps=2.5), schema=schema, seed=1)
    values = frame.to_numpy(float)
    points = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    away = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(away, np.inf)
    for row, donors in enumerate(release.audit.donors):
        lonely = not (away[row] < 2.5).any()
        assert (donors == -1).all() if lonely else (away[row, donors] < 2.5).all()


def test_trials_that_share_a_tree_draw_what_they_would_alone():
    frame = sm.datasets.load("diabetes")
    data = Microdata.of(Table(frame), numeric(frame))
    sharing = replace(data, cache=Cache(neighbours=9))
    for method in (sm.NBRS(eps=2.5), sm.NBRS(eps=3.0, q=0.5), sm.NBRS(eps=2.5, weights={"sex": 0})):
        one, two = (sm.Local().run(method, d, Seed.chosen_by_user(1)) for d in (data, sharing))
        assert np.array_equal(one.donors.matrix, two.donors.matrix)
        assert one.notes == two.notes


# golden values of the 2018 paper


@pytest.fixture(scope="module")
def sample(shared):
    return pd.read_csv(shared / "reference" / "rwn" / "nbrs_2018_sample_5000.csv")


@pytest.mark.parametrize(("weight", "column"), [(0.2, "n_eps06_w02"), (0.3, "n_eps06_w03")])
def test_neighbour_counts_of_the_paper_come_out_exactly(shared, sample, weight, column):
    counts = pd.read_csv(shared / "reference" / "rwn" / "nbrs_2018_neighbour_counts.csv")
    assert (counts["row"] == sample["row"]).all()
    data = Microdata.of(Table(sample[GOLDEN]), numeric(sample[GOLDEN]))
    encoding = Encoding.fit(data, Scale.ZSCORE, dict.fromkeys(["sex", "ms", "phd"], weight))
    words = np.empty((data.n, 0), np.int64)
    rule = Rule(eps=0.6, open_ball=True)
    streams = Seed.fresh().within("test")
    task = DrawTask(encoding.points(data), data.strata, rule, words, streams, Workers())
    sizes = draw_members(task, NeighborSearch()).sizes
    assert np.array_equal(sizes, counts[column])


@pytest.mark.parametrize(("weight", "suppressed"), [(0.2, 37), (0.3, 63)])
def test_as_many_records_are_suppressed_as_in_the_paper(sample, masked, weight, suppressed):
    weights = dict.fromkeys(["sex", "ms", "phd"], weight)
    frame = sample[GOLDEN]
    release = masked(frame, sm.NBRS(eps=0.6, weights=weights), schema=numeric(frame), seed=1)
    assert (release.audit.donors == -1).all(axis=1).sum() == suppressed
    assert (release.audit.donors == -1).any(axis=1).sum() == suppressed
    lost = release.data.isna().all(axis=1).to_numpy()
    assert lost.sum() == suppressed
    assert lost[(sample["row"] == 7997).to_numpy()].item() == (weight == 0.3)


def test_columns_in_near_count_in_the_ball_and_stay(masked):
    frame = pd.DataFrame({"place": np.arange(60) // 6 * 10.0, "x": np.arange(60) % 6 / 6})
    method = sm.NBRS(eps=0.1, near=["place"], weights={"x": 0.01})
    release = masked(frame, method, keep=["place"], seed=1)
    donors = release.audit.donors[:, release.audit.columns.index("x")]
    assert np.array_equal(frame["place"].to_numpy()[donors], frame["place"])
    assert (donors != np.arange(60)).all()
