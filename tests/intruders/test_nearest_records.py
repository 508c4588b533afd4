from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.intruders.nearest_records import of_1000

MEASURES = ["pscr", "dbrl", "dcr"]


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def scores(original, released, **options):
    schema = options.pop("schema", numeric(original))
    options = {"match": "rows", "measures": MEASURES} | options
    return sm.assess(original, released, schema=schema, **options)


def blind_release(frame, seed=0):
    rng = np.random.default_rng(seed)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


# anchors


def test_an_unchanged_release_links_everybody():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))
    card = scores(frame, frame)
    assert [score.value for score in card] == [1.0, 1.0, 0.0]
    assert card["dcr"].details["share at distance 0"] == 1.0


def test_a_blind_release_links_as_a_blind_guess_does():
    """Expected 1 of 400; P(more than 6) < 1e-4 for a Poisson count of mean 1."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 5)), columns=list("abcde"))
    card = scores(frame, blind_release(frame))
    assert card["pscr"].value <= 6 / 400
    assert card["dbrl"].value <= 6 / 400


def test_twins_share_the_hit():
    """Two pairs of twins: a guess among two is right half the time."""
    frame = pd.DataFrame({"x": [1.0, 1.0, 5.0, 5.0]})
    assert scores(frame, frame)["pscr"].value == 0.5
    assert scores(frame, frame)["pscr"].records.tolist() == [0.5] * 4


# by hand


def test_distances_on_the_scale_of_the_original():
    """Range 10: the released rows 1, 5, 9 are 0.1, 0, 0.1 away; the nearest of 0 is its own."""
    original, released = pd.DataFrame({"x": [0.0, 5.0, 10.0]}), pd.DataFrame({"x": [1.0, 5.0, 9.0]})
    card = scores(original, released)
    assert card["dcr"].value == pytest.approx(0.2 / 3)
    assert card["dcr"].records.tolist() == pytest.approx([0.1, 0.0, 0.1])
    assert card["pscr"].value == 1.0


def test_pscr_goes_from_original_to_release_and_dbrl_back():
    """On the original's scale 0 and 2 are nearest to 1 (row 1) and 6 (row 2); standardised, the
    release 1, 6, 7 is like the original 0, 2, 9 in order, and each finds its own but the second.
    """
    original, released = pd.DataFrame({"x": [0.0, 2.0, 9.0]}), pd.DataFrame({"x": [1.0, 6.0, 7.0]})
    card = scores(original, released)
    x = (original["x"] - original["x"].mean()) / original["x"].std()
    y = (released["x"] - released["x"].mean()) / released["x"].std()
    away = np.abs(y.to_numpy()[:, None] - x.to_numpy()[None])
    assert card["dbrl"].value == pytest.approx((away.argmin(axis=1) == np.arange(3)).mean())
    raw = np.abs(original["x"].to_numpy()[:, None] - released["x"].to_numpy()[None])
    assert card["pscr"].value == pytest.approx((raw.argmin(axis=1) == np.arange(3)).mean())


def test_a_nominal_mismatch_is_farther_than_any_number():
    original = pd.DataFrame({"x": [0.0, 10.0], "t": ["a", "b"]})
    released = pd.DataFrame({"x": [10.0, 0.0], "t": ["a", "b"]})
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("t", "nominal")))
    card = scores(original, released, schema=schema)
    assert card["pscr"].value == 1.0
    assert card["dcr"].value == pytest.approx(1.0)


def test_only_known_columns_count():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=100), "y": rng.normal(size=100)})
    released = frame.assign(y=rng.permutation(frame["y"]))
    assert scores(frame, released, known=["x"])["pscr"].value == 1.0
    assert scores(frame, released, known=["y"])["pscr"].value < 0.1


# by ranks, and from the release


def distance(original, released, measure, **options):
    return scores(original, released, measures=[measure], **options)["dcr"]


def test_distances_from_the_release_are_those_to_the_nearest_person():
    """1, 1 and 9 of a range of 10 are 0.1 from 0, 0 and 10; nobody is near 5."""
    original, released = pd.DataFrame({"x": [0.0, 5.0, 10.0]}), pd.DataFrame({"x": [1.0, 1.0, 9.0]})
    back = distance(original, released, "dcr:of=released")
    assert back.records.tolist() == pytest.approx([0.1, 0.1, 0.1])
    assert "From a released record, the nearest person is 0.1 away" in back.sentence
    there = distance(original, released, "dcr")
    assert there.records.tolist() == pytest.approx([0.1, 0.4, 0.1])


def test_distances_by_ranks_do_not_see_how_far_values_are_apart():
    """Shares of rows below and half of those tied: 1/6, 3/6, 5/6 and 1/3, 1/3, 5/6."""
    original = pd.DataFrame({"x": [0.0, 5.0, 1000.0]})
    released = pd.DataFrame({"x": [1.0, 1.0, 9.0]})
    there = distance(original, released, "dcr:scale=ranks")
    assert there.records.tolist() == pytest.approx([1 / 6, 1 / 6, 0.0])
    assert there.details["share at distance 0"] == pytest.approx(1 / 3)
    assert "333 of 1,000 people have a record with the same ranks as theirs" in there.sentence
    back = distance(original, released, "dcr:scale=ranks:of=released")
    assert back.records.tolist() == pytest.approx([1 / 6, 1 / 6, 0.0])


@pytest.mark.parametrize("of", ["original", "released"])
@pytest.mark.parametrize("scale", ["unit", "raw", "ranks"])
def test_distances_are_those_of_all_pairs(scale, of):
    """Numbers and levels: a mismatch is sqrt(2); missing numbers are in the middle and 1 apart."""
    rng = np.random.default_rng(4)
    original = pd.DataFrame({"x": rng.normal(size=60), "y": rng.integers(0, 5, 60) * 1.0})
    original["t"] = rng.choice(list("abc"), 60)
    released = original.apply(lambda column: rng.permutation(column.to_numpy()))
    released["x"] += rng.normal(0, 0.2, 60)
    released.loc[:4, "x"] = np.nan
    schema = sm.Schema(tuple(sm.Column(n, "nominal" if n == "t" else "numeric") for n in "xyt"))
    found = distance(original, released, f"dcr:scale={scale}:of={of}", schema=schema)
    one, other = (_place(frame, original, scale) for frame in (original, released))
    squares = sum((one[j][:, None] - other[j]) ** 2 for j in range(2))
    squares = squares + released["x"].isna().to_numpy() * 1.0
    squares += 2.0 * (original["t"].to_numpy()[:, None] != released["t"].to_numpy())
    nearest = np.sqrt(squares.min(axis=1 if of == "original" else 0))
    np.testing.assert_allclose(found.records, nearest, atol=1e-9)


def _place(frame, original, scale):
    if scale == "ranks":
        shares = [(frame[n].rank() - 0.5) / frame[n].notna().sum() for n in "xy"]
        return [column.fillna(0.5).to_numpy() for column in shares]
    span = {n: np.ptp(original[n]) if scale == "unit" else 1.0 for n in "xy"}
    return [(frame[n].fillna(original[n].mean()) / span[n]).to_numpy() for n in "xy"]


def test_a_release_of_one_person_is_near_to_people_and_far_from_most():
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(100, 3)), columns=list("abc"))
    released = pd.concat([frame[:1]] * 100, ignore_index=True)
    assert distance(frame, released, "dcr:of=released").value == 0.0
    assert distance(frame, released, "dcr").value > 0.1


# robustness


def test_suppressed_records_and_missing_values_are_no_problem():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "t": ["a", "b", None, "a"]})
    released = frame.copy()
    released.loc[1] = [np.nan, None]
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("t", "nominal")))
    card = scores(frame, released, schema=schema)
    assert card["pscr"].records[[0, 2, 3]].tolist() == [1.0, 1.0, 1.0]


def test_a_sample_of_rows_estimates_the_whole():
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(4000, 4)), columns=list("abcd"))
    released = frame + np.random.default_rng(3).normal(0, 0.4, frame.shape)
    whole, part = scores(frame, released), scores(frame, released, at_most=1000)
    for name in ("pscr", "dbrl"):
        low, high = part[name].interval
        assert low < whole[name].value < high


@pytest.mark.parametrize(("bins", "share"), [(100, 1.0), (30, 0.99), (10, 0.72), (4, 0.16)])
def test_bins_of_sjppds_give_the_owner_away_on_census(shared, masked, bins, share):
    """METHODS: the true owner is the nearest record for so many; 0.03 is above 2 sd of a run."""
    frame = pd.read_csv(shared / "reference" / "sdcmicro" / "census" / "input.csv").astype(float)
    release = masked(frame, sm.SJPPDS(bins=bins), schema=numeric(frame), seed=1)
    assert scores(frame, release)["dbrl"].value == pytest.approx(share, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "q", "pscr"), [(5, 1.0, 0.112), (25, 1.0, 0.043), (50, 0.5, 0.329), (75, 0.25, 0.603)]
)
def test_pscr_of_the_rwn_paper_on_svcensus(svcensus, masked, k, q, pscr):
    schema = sm.Schema.guess(svcensus, {}).assign(nominal=["educ", "occ", "gender"])
    release = masked(svcensus, sm.RWN(k=k, q=q), schema=schema, seed=1)
    found = sm.assess(svcensus, release, schema=schema, measures=["pscr"], at_most=None)
    assert found["pscr"].value == pytest.approx(pscr, abs=0.01)


def test_shares_are_told_in_thousandths():
    assert of_1000(0.5) == "500 of 1,000"
    assert of_1000(0.0) == "0 of 1,000"
    assert of_1000(0.00042, bare=True) == "0.4"


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize(
    ("eps", "distance"), [(0.25, 9.33), (0.55, 11.25), (0.80, 13.09), (0.95, 14.10)]
)
def test_dcr_of_the_rwn_papers_bodyfat_figures(shared, masked, eps, distance):
    """In raw units; 20 releases, whose mean has a standard error below 0.05: 0.25 is 5 of them."""
    from swapmeet.measures.risk.nearest_record import DCR

    frame = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_clean_241.csv").astype(float)
    frame = frame[[name for name in frame if name.lower() not in ("case", "bmi")]]
    found = [
        sm.assess(
            frame, masked(frame, sm.RWN(k=5, eps=eps), schema=numeric(frame), seed=seed),
            schema=numeric(frame), measures=[DCR(scale="raw")],
        )["dcr"].value
        for seed in range(20)
    ]  # fmt: skip
    assert np.mean(found) == pytest.approx(distance, abs=0.25)
