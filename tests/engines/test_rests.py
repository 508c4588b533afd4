"""What is left of columns that nearly follow from others moves in their place."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.release.audit import AuditRecord

TOTAL = "total = a + b + rest"
METHODS = (sm.MatchedSwap(k=4), sm.RWN(k=4), sm.Noise(), sm.Microaggregation(k=4))


@pytest.fixture(scope="module")
def books():
    """Totals that were rounded after they were added, three of them wrong."""
    rng = np.random.default_rng(2)
    parts = rng.lognormal(6, 1, (2, 400))
    a, b = parts.round().astype(np.int32)
    total = parts.sum(axis=0).round().astype(np.int32)
    total[:3] += 1_000
    return pd.DataFrame({"a": a, "b": b, "total": total, "staff": rng.integers(1, 90, 400)})


def count_rests(frame):
    return (frame.total - frame.a - frame.b).value_counts().to_dict()


@pytest.mark.parametrize("method", METHODS[:2], ids=lambda method: method.name)
def test_a_sum_holds_as_nearly_as_before(books, method):
    released = sm.mask(books, method, derive=TOTAL, seed=1).data
    assert released.dtypes.equals(books.dtypes)
    assert not released.total.equals(books.total)
    before, after = count_rests(books), count_rests(released)
    assert after[0] == pytest.approx(before[0], abs=25)
    if method.name == "matched-swap":
        assert after == before
        assert released.total.sum() == books.total.sum()


@pytest.mark.filterwarnings("ignore:columns a, b, total")
@pytest.mark.parametrize("method", METHODS[2:], ids=lambda method: method.name)
def test_rests_that_are_made_are_added_too(books, method):
    released = sm.mask(books, method, derive=TOTAL, seed=1).data
    assert released.dtypes.total == np.int32
    rest = released.total - released.a - released.b
    assert (rest.abs() < 100).mean() > 0.9
    assert (released.total >= 0).all()


def test_by_hand():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [10, 20, 30, 40], "total": [11, 23, 33, 44]})
    release = sm.mask(frame, sm.RankSwap(window=1.0), derive=TOTAL, seed=3)
    rest = (frame.total - frame.a - frame.b).to_numpy()
    donors = release.audit.donors[:, list(release.audit.columns).index("total")]
    expected = release.data.a + release.data.b + rest[donors]
    assert release.data.total.tolist() == expected.tolist()


def test_decimals_and_gaps_stay_what_they_were(books):
    cents = books.astype(float) / 100.0
    cents.loc[5:30, "total"] = np.nan
    cents.loc[20:60, "a"] = np.nan
    released = sm.mask(cents, sm.MatchedSwap(k=4), derive=TOTAL, seed=1).data
    assert released.isna().sum().equals(cents.isna().sum())
    assert np.array_equal(released.total.round(2), released.total, equal_nan=True)
    left = ((cents.total - cents.a - cents.b).round(2) == 0).sum()
    assert ((released.total - released.a - released.b).round(2) == 0).sum() >= left


def test_what_follows_from_a_total_with_a_rest_follows_from_the_new_one(books):
    more = books.assign(twice=2 * books.total)
    released = sm.mask(more, sm.RWN(k=4), derive=[TOTAL, "twice = 2 * total"], seed=1).data
    assert (released.twice == 2 * released.total).all()


def test_a_date_follows_another_by_as_many_days_as_before():
    rng = np.random.default_rng(1)
    start = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300, 200), unit="D")
    end = start + pd.to_timedelta(rng.geometric(0.2, 200), unit="D")
    stays = pd.DataFrame({"start": start, "end": end, "cost": rng.integers(0, 999, 200)})
    released = sm.mask(stays, sm.MatchedSwap(k=4), derive="end = start + rest", seed=1).data
    assert released.dtypes.equals(stays.dtypes)
    assert sorted(released.end - released.start) == sorted(stays.end - stays.start)


def test_a_rule_about_the_total_is_repaired_with_the_rest_that_comes_along(books):
    rule = "total >= a"
    release = sm.mask(books, sm.RWN(k=4), derive=TOTAL, rule=rule, seed=1)
    assert (release.data.total >= release.data.a).all()


def test_files_in_blocks_keep_sums_as_tables_do(books, tmp_path):
    books.to_parquet(tmp_path / "books.parquet")
    for method in METHODS[:2]:
        sm.mask_file(
            tmp_path / "books.parquet", tmp_path / "release.parquet", method, derive=TOTAL,
            block_rows=120, overwrite=True, audit=tmp_path / "release.audit", seed=1,
        )  # fmt: skip
        released = pd.read_parquet(tmp_path / "release.parquet")
        assert released.dtypes.equals(books.dtypes)
        assert count_rests(released)[0] == pytest.approx(count_rests(books)[0], abs=25)
    record = AuditRecord.load(tmp_path / "release.audit")
    assert record.rests == (TOTAL,)
    card = sm.assess_file(
        tmp_path / "books.parquet", tmp_path / "release.parquet", audit=record,
        measures=["margins"],
    )  # fmt: skip
    assert "what is left of total was masked" in card.doubt


def test_a_rest_that_gives_people_away_is_seen_by_the_intruder(books):
    """Rests of a million tell everybody apart; where they stay in their row, everybody is found."""
    rng = np.random.default_rng(5)
    far = books.assign(total=books.a + books.b + rng.permutation(400) * 1_000)
    method = sm.PerColumn(parts=[(sm.RankSwap(window=1.0), ["a", "b", "staff"])])
    found = sm.mask(far, method, derive=TOTAL, seed=1)
    card = sm.assess(far, found, measures=["linkage"])
    assert card["linkage"].value > 0.9
    alone = sm.assess(far, found, measures=["linkage"], known=["total"])
    assert alone["linkage"].value < card["linkage"].value


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"keep": ["total"]}, "which has the role keep"),
        ({"derive": ["total = lookup(a) + rest"]}, "is looked up, and nothing is left"),
        ({"derive": ["total = a + none + rest"]}, "there is no column 'none'"),
    ],
)
def test_what_has_no_rest_is_refused(books, roles, message):
    with pytest.raises(sm.errors.SchemaError, match=message):
        sm.mask(books, sm.RWN(k=4), **{"derive": TOTAL, **roles})


def test_a_column_of_this_name_is_told_apart(books):
    named = books.rename(columns={"b": "rest"})
    with pytest.raises(sm.errors.SchemaError, match="Write `rest` between backquotes"):
        sm.mask(named, sm.RWN(k=4), derive="total = a + rest")
    both = "total = a + `rest` + rest()"
    released = sm.mask(named, sm.MatchedSwap(k=4), derive=both, seed=1).data
    assert count_rests(released.rename(columns={"rest": "b"})) == count_rests(books)
