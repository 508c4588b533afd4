from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sdcmicro_golden import SETS, numbers, table

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison
from swapmeet.errors import ParameterError
from swapmeet.measures.risk.interval_disclosure import (
    RID,
    SDID,
    IntervalSD,
    RIDLinked,
    RIDSorted,
    SDIDLinked,
    SDIDSorted,
)


def rid(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, match="rows", schema=schema, measures=[RID()])["rid"]


def test_a_rank_that_is_off_by_a_tenth_is_inside_the_widest_interval_only():
    """Ten records, of which two trade places; 10 % of 10 is one rank, ends included."""
    original = pd.DataFrame({"x": np.arange(10.0)})
    released = pd.DataFrame({"x": [1.0, 0.0, *range(2, 10)]})
    score = rid(original, released)
    assert score.records == pytest.approx([0.1, 0.1] + [1.0] * 8)
    assert score.value == pytest.approx(0.82)
    assert score.details["share within 9%"] == 0.8
    assert score.details["share within 10%"] == 1.0


@pytest.mark.parametrize(("off", "share"), [(0, 1.0), (1, 1.0), (4, 0.7), (10, 0.1), (11, 0.0)])
def test_the_share_of_the_intervals_that_hold_a_rank(off, share):
    """A hundred records: a rank that is off by d is inside the intervals from d % on."""
    values = np.arange(100.0)
    moved = np.roll(values, off)
    middle = slice(off, 100 - off)
    score = rid(pd.DataFrame({"x": values}), pd.DataFrame({"x": moved}))
    assert score.records[middle] == pytest.approx(share)


def test_all_columns_must_be_right():
    values = np.arange(100.0)
    original = pd.DataFrame({"x": values, "y": values})
    released = pd.DataFrame({"x": values, "y": values[::-1]})
    score = rid(original, released)
    assert score.records[0] == 0.0
    assert score.records[49:51].tolist() == [1.0, 1.0]


def test_only_ranks_count():
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"x": rng.normal(size=50)})
    assert rid(original, np.exp(original) * 1000).value == 1.0


def test_ties_have_their_mean_rank():
    """Released in two groups of ten: every rank is off by at most 4.5 of 20, the middle by 0.5."""
    original = pd.DataFrame({"x": np.arange(20.0)})
    released = pd.DataFrame({"x": np.repeat([0.0, 1.0], 10)})
    off = np.abs(np.tile(np.arange(10.0), 2) - 4.5)
    expected = np.clip((11 - np.ceil(100 * off / 20)) / 10, 0, 1)
    assert rid(original, released).records == pytest.approx(expected)


def test_ranks_are_among_the_values_that_are_there():
    """Half of the release is missing: a rank is a share of what is there."""
    original = pd.DataFrame({"x": np.arange(100.0)})
    released = original.where(original["x"] % 2 == 0)
    score = rid(original, released)
    assert score.records[::2].tolist() == [1.0] * 50
    assert score.records[1::2].tolist() == [0.0] * 50


def test_the_sentence_says_how_many_and_what_chance_would_give():
    original = pd.DataFrame({"x": np.arange(10.0)})
    released = pd.DataFrame({"x": [1.0, 0.0, *range(2, 10)]})
    assert rid(original, released).sentence == (
        "An intruder who assumes that the true ranks differ from the released ones by at most 1 to "
        "10 % of the records is right about x for 820 of 1,000 people; with columns shuffled at "
        "random, for 118 of 1,000."
    )


def rid_sorted(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, schema=schema, measures=[RIDSorted()])["rid-sorted"]


def test_the_worst_column_counts():
    """Sorted by x, y is reversed, and right in the middle only; sorted by y, likewise x."""
    up, down = np.arange(100.0), np.arange(100.0)[::-1]
    score = rid_sorted(pd.DataFrame({"x": up, "y": up}), pd.DataFrame({"x": up, "y": down}))
    off = np.abs(up - down)
    expected = np.clip((11 - np.maximum(off, 1)) / 10, 0, 1).mean()
    assert score.details["sorted by x"] == pytest.approx(expected)
    assert score.details["sorted by y"] == pytest.approx(expected)
    assert score.value == pytest.approx(expected)


def test_a_column_that_orders_all_others_discloses_everybody():
    rng = np.random.default_rng(0)
    x = rng.permutation(200) * 1.0
    original = pd.DataFrame({"x": x, "y": np.exp(x / 50), "z": -x})
    score = rid_sorted(original, original.sample(frac=1.0, random_state=1))
    assert score.value == 1.0
    assert score.details["worst column"] == "x"


def test_the_sentence_says_that_nobody_knows_the_owners():
    frame = pd.DataFrame({"x": np.arange(10.0)})
    assert rid_sorted(frame, frame).sentence == (
        "When both files are sorted by x, the ranks of records in the same place differ by at most "
        "1 to 10 % of the records in x for 1000 of 1,000 people (with the other columns "
        "shuffled at random, for 1000 of 1,000); this is the paper's worst-case sorting, which "
        "does not know the owners: where rid has a value, rely on that instead."
    )


PAIRS = [
    ("census", "mdav", "mdav_aggr5"),
    ("tarragona", "onedims_and_pca", "onedims_aggr3"),
    ("bodyfat", "onedims_and_pca", "onedims_aggr3"),
]


def sdid(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, match="rows", schema=schema, measures=[SDID()])["sdid"]


def test_distances_in_standard_deviations_of_the_release():
    """Released -1, 0, 1 have standard deviation 1; the original is 0, 0.05 and 0.2 away."""
    original = pd.DataFrame({"x": [-1.0, 0.05, 1.2]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0]})
    score = sdid(original, released)
    assert score.records == pytest.approx([1.0, 0.6, 0.0])
    assert score.value == pytest.approx(1.6 / 3)


def test_it_is_the_released_column_that_has_the_deviation():
    original, released = (
        pd.DataFrame({"x": [0.0, 0.05, 20.0]}),
        pd.DataFrame({"x": [0.0, 0.0, 2.0]}),
    )
    assert sdid(original, released).records == pytest.approx([1.0, 0.6, 0.0])


def test_all_columns_must_be_right_by_values():
    original = pd.DataFrame({"x": [-1.0, 0.05, 1.0], "y": [-1.0, 0.08, 1.5]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0], "y": [-1.0, 0.0, 1.0]})
    assert sdid(original, released).records == pytest.approx([1.0, 0.3, 0.0])


def test_a_constant_release_discloses_those_who_have_the_constant():
    original, released = pd.DataFrame({"x": [4.0, 5.0, 6.0]}), pd.DataFrame({"x": [5.0, 5.0, 5.0]})
    assert sdid(original, released).records.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("name", "file", "pair"), PAIRS)
def test_it_is_the_mean_of_sdcmicros_interval_disclosure(shared, name, file, pair):
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / f"dRisk_dRiskRMD_dUtility_of_{file}_pairs.json").read_text())
    shares = golden[pair]["dRisk"]
    assert list(shares) == [f"k={width / 100:.2f}" for width in range(1, 11)]
    original = table(shared, name).astype(float)
    released = pd.read_csv(folder / f"microaggregation_{pair}_mx.csv").astype(float)
    score = sdid(original, released.set_axis(original.columns, axis=1))
    assert score.value == pytest.approx(sum(shares.values()) / 10, abs=1e-12)
    found = [score.details[f"share within {width}%"] for width in range(1, 11)]
    assert found == list(shares.values())


def scores(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    measures = [SDID(), SDIDSorted()]
    return sm.assess(original, released, match="rows", schema=schema, measures=measures)


def test_it_is_sdid_of_the_sorted_files():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    original = pd.DataFrame({"x": x, "y": x + rng.normal(scale=0.01, size=300)})
    released = original + rng.normal(scale=0.02, size=original.shape)
    card = scores(original, released)
    by_column = {
        name: scores(
            original.sort_values(name, ignore_index=True),
            released.sort_values(name, ignore_index=True),
        )["sdid"].value
        for name in original
    }
    details = card["sdid-sorted"].details
    assert {name: details[f"sorted by {name}"] for name in original} == pytest.approx(by_column)
    assert card["sdid-sorted"].value == pytest.approx(max(by_column.values()))
    assert card["sdid-sorted"].value != card["sdid"].value


def test_a_shuffled_copy_looks_disclosed_only_after_sorting():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=["x", "y"])
    card = scores(frame, frame.sample(frac=1.0, random_state=1, ignore_index=True))
    assert card["sdid"].value < 0.05
    assert card["sdid-sorted"].value == 1.0


BOTH = pytest.mark.parametrize("measure", [RIDLinked(), SDIDLinked()], ids=lambda m: m.name)


def score(measure, original, released, **options):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, schema=schema, measures=[measure], **options)[measure.name]


@BOTH
def test_moving_whole_records_hides_nobody(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("xyz"))
    moved = people.sample(frac=1.0, random_state=1).reset_index(drop=True)
    assert score(measure, people, moved, match="rows").value == 1.0
    assert score(measure, people, moved).value == 1.0


@BOTH
def test_shuffled_columns_leave_few_similar_records(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(500, 5)), columns=list("vwxyz"))
    blind = people.apply(lambda column: rng.permutation(column.to_numpy()))
    assert score(measure, people, blind).value < 0.05


def test_hand_worked():
    """Nearest by x and y together: 0 finds the record at 1, 10 the one at 8, 20 its own."""
    original = pd.DataFrame({"x": [0.0, 10.0, 20.0], "y": [0.0, 10.0, 20.0]})
    released = pd.DataFrame({"x": [20.0, 8.0, 1.0], "y": [20.0, 8.0, 1.0]})
    found = score(SDIDLinked(), original, released)
    unit = released["x"].std()
    steps = np.ceil(100 * np.array([1.0, 2.0, 0.0]) / unit)
    assert found.value == pytest.approx(np.clip((11 - steps) / 10, 0, 1).mean())


@BOTH
def test_a_sample_of_people_is_looked_for(measure):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(rng.normal(size=(300, 2)), columns=list("xy"))
    found = score(measure, people, people, at_most=50)
    assert found.details["people looked for"] == 50
    assert found.value == 1.0


@BOTH
def test_the_sentence_says_whose_record_it_may_be(measure):
    people = pd.DataFrame({"x": np.arange(10.0)})
    assert "be it theirs or another's" in score(measure, people, people).sentence


def interval_sd(original, released, *widths):
    names = tuple(original)
    comparison = Comparison(numbers(original), numbers(released), names, names)
    return [IntervalSD(k=k).score(comparison) for k in widths]


def test_the_interval_is_closed_and_that_of_the_release():
    """Released -1, 0, 1 have standard deviation 1; the original is 0, 0.25 and 0.5 away."""
    original = pd.DataFrame({"x": [-1.0, 0.25, 1.5]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0]})
    scores = interval_sd(original, released, 0.0, 0.24, 0.25, 0.5)
    assert [score.records.sum() for score in scores] == [1.0, 1.0, 2.0, 3.0]
    assert scores[2].value == pytest.approx(2 / 3)


def test_the_default_is_that_of_sdcmicro():
    assert IntervalSD().k == 0.05


def test_a_negative_width_is_refused():
    with pytest.raises(ParameterError, match="`k` must be a finite number, 0 or more; got -1"):
        IntervalSD(k=-1)


@pytest.mark.parametrize("name", SETS)
def test_shares_are_exactly_those_of_sdcmicro(shared, name):
    folder = shared / "reference" / "sdcmicro" / name
    original = table(shared, name)
    compared = 0
    for file in ("mdav", "onedims_and_pca"):
        golden = folder / f"dRisk_dRiskRMD_dUtility_of_{file}_pairs.json"
        for pair, figures in json.loads(golden.read_text()).items() if golden.exists() else ():
            released = pd.read_csv(folder / f"microaggregation_{pair}_mx.csv")
            widths = [float(key.removeprefix("k=")) for key in figures["dRisk"]]
            scores = interval_sd(original, released.set_axis(original.columns, axis=1), *widths)
            assert [score.value for score in scores] == list(figures["dRisk"].values()), pair
            compared += len(widths)
    assert compared >= 30
