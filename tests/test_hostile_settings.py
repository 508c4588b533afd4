"""Settings and values at the edge of what numbers hold: a release, or one message of ours."""

from __future__ import annotations

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.errors import FileError, ParameterError, SchemaError, SwapmeetError, TableError
from swapmeet.plan.plan import Plan
from swapmeet.tuning import Study

N = 60


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {"a": rng.integers(0, 50, N), "b": rng.normal(size=N), "g": rng.choice(["x", "y"], N)}
    )


def mask(frame, method, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return sm.mask(frame, method, seed=1, **options)


@pytest.mark.parametrize("eps", [1e154, 1e299, 1.7e308])
@pytest.mark.parametrize("columns", [["a", "b"], ["a", "b", "g"]])
def test_a_ball_beyond_all_distances_holds_everybody_also_in_blocks(frame, eps, columns):
    release = mask(frame[columns], sm.NBRS(eps=eps), engine=sm.Local(block_rows=20))
    assert len(release.data) == N
    assert (release.audit.donors >= 0).all()


@pytest.mark.parametrize("count", [2**63, 2**64, 10**30, 10**400], ids=["63", "64", "30", "400"])
@pytest.mark.parametrize("rows", [None, 20])
def test_more_neighbours_than_any_table_has_are_refused(frame, count, rows):
    with pytest.raises(TableError, match="Lower `k`"):
        mask(frame, sm.RWN(k=count), engine=sm.Local(block_rows=rows))


@pytest.mark.parametrize("count", [2**63, 10**400], ids=["63", "400"])
def test_more_parts_than_rows_are_refused(frame, count):
    with pytest.raises(TableError, match="Lower `parts` or `k`"):
        mask(frame, sm.RWN(k=2, search="partition", parts=count))


@pytest.mark.parametrize("count", [2**31, 2**63, 10**400], ids=["31", "63", "400"])
def test_more_bins_than_memory_holds_are_refused(count):
    with pytest.raises(ParameterError, match="`bins` must be a whole number from 1 to 10000000"):
        sm.SJPPDS(bins=count)


def test_bins_are_merged_into_one_where_none_is_large_enough(frame):
    some = mask(frame[["a", "b"]], sm.SJPPDS(bins=3, min_bin=10**30))
    assert np.array_equal(
        some.audit.donors, mask(frame[["a", "b"]], sm.SJPPDS(bins=1)).audit.donors
    )


def test_intervals_narrower_than_doubles_are_refused(frame):
    with pytest.raises(SwapmeetError, match="fewer `bins`"):
        mask(frame[["b"]], sm.MEWS(bins=10**400))


def test_clusters_larger_than_any_table_are_refused(frame):
    with pytest.raises(SwapmeetError):
        mask(frame, sm.KLTheta(k=10**400), sensitive=["g"])


def test_columns_may_come_together_as_often_as_there_are_rows(frame):
    often, always = (mask(frame, sm.MatchedSwap(k=10, together=t)) for t in (1e300, 1e6))
    assert np.array_equal(often.audit.donors, always.audit.donors)


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**5000], ids=["large", "low", "long"])
def test_numbers_beyond_doubles_are_refused(number):
    with pytest.raises(ParameterError, match="`eps` must be a finite number, 0 or more"):
        sm.RWN(eps=number)


def test_a_number_of_thousands_of_digits_is_not_spelled():
    with pytest.raises(ParameterError, match="got a number of thousands of digits"):
        sm.RWN(q=10**5000)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-160])
def test_tiny_numbers_are_masked_and_measured(frame, scale):
    tiny = (frame[["a", "b"]] * scale).rename(columns={"b": "c"})
    for method in (
        sm.RWN(k=3),
        sm.SJPPDS(bins=4),
        sm.Microaggregation(k=3),
        sm.RankSwap(window=0.2),
    ):
        release = mask(tiny, method)
        card = sm.assess(tiny, release, measures=["dcr", "interval-rmd", "margins"], limits={})
        assert card.rows == N


def test_durations_of_every_library_take_noise(frame):
    table = pa.table({"t": pa.array(frame["a"].to_numpy(), pa.duration("ms")), "b": frame["b"]})
    for one in (table, table.to_pandas(), pl.from_arrow(table)):
        for method in (sm.Noise(level=0.5), sm.Microaggregation(k=3)):
            release = mask(one, method)
            assert type(release.data) is type(one)
            assert len(release.data) == N
            assert str(release.data["t"][0]) != ""


def test_noise_makes_no_time_that_no_day_has(frame):
    times = pa.array(frame["a"].to_numpy(), pa.int64()).cast(pa.time64("us"))
    for one in (pa.table({"t": times}), pa.table({"t": times}).to_pandas()):
        with pytest.raises(TableError, match=r"'t' of type .* cannot hold .* bound the values"):
            mask(one, sm.Noise(level=0.5, bounds="none"))
        released = mask(one, sm.Noise(level=0.5)).data["t"]
        assert {type(t) for t in pd.Series(released)} <= {dt.time, pa.Time64Scalar}


def test_wide_decimals_and_those_of_hundreds_are_masked_and_derived():
    many = [Decimal(10) ** 60 + i for i in range(N)]
    table = pa.table({
        "x": pa.array(many, pa.decimal256(70, 0)),
        "y": pa.array([2 * one for one in many], pa.decimal256(70, 0)),
        "h": pa.array([Decimal(i) * 100 for i in range(N)], pa.decimal128(12, -2)),
        "z": pa.array([i * 100 for i in range(N)]),
    })  # fmt: skip
    released = mask(table, sm.RWN(k=2), derive=["y = 2 * x", "z = h"], publish=["x", "y"]).data
    pairs = zip(released["x"].to_pylist(), released["y"].to_pylist(), strict=True)
    assert all(2 * x == y for x, y in pairs)
    assert released["h"].cast(pa.int64()).to_pylist() == released["z"].to_pylist()


def test_half_characters_are_refused_by_column(frame):
    broken = frame.assign(g=pd.Series(["\ud800", *frame["g"][1:]], dtype=object))
    for work in (lambda: mask(broken, sm.RWN()), lambda: sm.inspect(broken)):
        with pytest.raises(TableError, match="column 'g' holds text with half a character"):
            work()
    named = frame.copy()
    named.columns = pd.Index(["a", "\ud800", "g"], dtype=object)
    with pytest.raises(TableError, match="1 of 3 column names hold half a character"):
        mask(named, sm.RWN())


@pytest.mark.parametrize(
    "step", ["top 5", "round 2", "suppress rare 2", "group rare 2 = 1", "cut 1, 5"]
)
def test_types_that_cannot_be_compared_are_not_recoded(step):
    table = pa.table({"h": pa.array(np.ones(N, np.float16)), "n": pa.nulls(N)})
    for name in ("h", "n"):
        with pytest.raises(SchemaError, match=f"recode: .*'{name}'"):
            sm.recode(table, f"{name}: {step}")


def test_infinite_numbers_are_no_code_and_huge_ones_no_sum():
    numbers = np.tile([1.0, 2.0, np.inf], 20)
    huge = np.array([1e300, 5e-324] * 30)
    found = sm.inspect(pd.DataFrame({"x": numbers, "y": huge, "z": huge * 2, "w": numbers + 1}))
    assert "inf" not in repr(found)


@pytest.mark.parametrize(
    "content",
    ["a = " + "[" * 5000, "[input]\nsheet = " + "{a=" * 2000, "a = " + "9" * 5000],
    ids=["lists", "tables", "digits"],
)
def test_run_files_too_deep_or_too_long_are_refused(tmp_path, content):
    path = tmp_path / "c.toml"
    path.write_text(content)
    with pytest.raises(FileError, match=r"c\.toml: .* run file"):
        Plan.load(path)


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"a":' * 50_000, "9" * 5000], ids=["lists", "tables", "digits"]
)
def test_a_journal_of_anything_else_is_refused(tmp_path, line):
    path = tmp_path / "j.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(FileError, match="is not the journal of a study"):
        Study.load(path)


@pytest.mark.parametrize(
    "memory",
    ["9" * 400 + "GB", 10**30, 10**5000, "1e400", True],
    ids=["text", "30", "5000", "e", "t"],
)
def test_no_machine_has_such_a_memory(tmp_path, memory):
    with pytest.raises(ParameterError, match="must be a size such as 4GB"):
        sm.mask_file(tmp_path / "a.csv", tmp_path / "b.csv", sm.RWN(), memory=memory)
