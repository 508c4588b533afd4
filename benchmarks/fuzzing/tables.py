"""Small tables of odd types, sizes, values and names, with cells that no message may show."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fuzzing.odd import FLOATS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

ROWS = (0, 1, 2, 3, 5, 8, 12, 12, 20, 20, 40, 40)
PLAIN = ("a", "b", "age", "income", "sex")
CANARIES = tuple(f"zqcanary-{i}" for i in range(60))
DAY = dt.datetime(2001, 2, 3, 4, 5, 6, 789)
MANY = 48_151_600


def draw_table(rng: Random) -> Any:
    """A frame of pandas, polars or pyarrow."""
    rows = rng.choice(ROWS)
    wanted = rng.choice((1, 2, 2, 3, 3, 4, 5))
    names = [rng.choice(PLAIN if rng.random() < 0.7 else NAMES) for _ in range(wanted)]
    if rng.random() < 0.97:
        names = list(dict.fromkeys(names))
    if rng.random() < 0.3:
        return _make_plain(rng, names, rows)
    library = rng.choice((_make_pandas, _make_pandas, _make_arrow, _make_polars))
    try:
        return library(rng, names, rows)
    except (
        pa.ArrowException,
        pl.exceptions.PolarsError,
        UnicodeEncodeError,
        TypeError,
        ValueError,
    ):
        return _make_plain(rng, list(PLAIN), rows)


def _make_plain(rng: Random, names: list[str], rows: int) -> Any:
    """Numbers as every method takes them, and at times texts."""
    makers = rng.choice(((_integers, _doubles), (_integers, _doubles, _texts), (_small, _texts)))
    frame = pd.DataFrame({place: _draw(rng, makers, rows) for place in range(len(names))})
    return _set_names(frame, names)


def _set_names(frame: Any, names: list[str]) -> Any:
    """The frame with these names, also such as pandas would not make text of."""
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _make_pandas(rng: Random, names: list[str], rows: int) -> Any:
    columns = [_draw(rng, (*COMMON, *OF_PANDAS), rows) for _ in names]
    frame = (
        pd.concat([pd.Series(column) for column in columns], axis=1) if columns else pd.DataFrame()
    )
    frame = _set_names(frame, names)
    if rng.random() < 0.1:
        frame.index = rng.sample(range(1000), len(frame))
    return frame


def _make_arrow(rng: Random, names: list[str], rows: int) -> Any:
    arrays = [_draw(rng, OF_ARROW, rows) for _ in names]
    if rng.random() < 0.2:
        arrays = [
            pa.chunked_array([one.slice(0, rows // 2), one.slice(rows // 2)]) for one in arrays
        ]
    return pa.table(arrays, names=names)


def _make_polars(rng: Random, names: list[str], rows: int) -> Any:
    columns = {name: _draw(rng, OF_POLARS, rows) for name in names}
    return pl.DataFrame(columns)


def _draw(rng: Random, makers: tuple[Callable[[Random, int], Any], ...], rows: int) -> Any:
    return rng.choice(makers)(rng, rows)


def _holes(rng: Random, values: list[Any]) -> list[Any]:
    share = rng.choice((0.0, 0.0, 0.2, 1.0))
    return [None if rng.random() < share else value for value in values]


def _integers(rng: Random, n: int) -> Any:
    top = rng.choice((2, 10, 10_000))
    return np.array([MANY + rng.randrange(top) for _ in range(n)], np.int64)


def _small(rng: Random, n: int) -> Any:
    kind = rng.choice((np.int8, np.uint8, np.int16, np.uint32, np.float32, np.bool_))
    return np.array([rng.randrange(2) for _ in range(n)]).astype(kind)


def _huge(rng: Random, n: int) -> Any:
    kind, values = rng.choice(
        ((np.int64, (2**63 - 1, -(2**63), 0)), (np.uint64, (2**64 - 1, 2**63, 1)))
    )
    return np.array([rng.choice(values) for _ in range(n)], kind)


def _doubles(rng: Random, n: int) -> Any:
    return np.array([MANY + rng.random() * 10 for _ in range(n)])


def _odd_doubles(rng: Random, n: int) -> Any:
    pool = rng.sample(FLOATS, rng.randint(1, 4))
    return np.array([rng.choice(pool) for _ in range(n)], np.float64)


def _tiny(rng: Random, n: int) -> Any:
    return np.array([rng.randrange(5) * 5e-324 for _ in range(n)])


def _texts(rng: Random, n: int) -> list[Any]:
    some = rng.sample(CANARIES, rng.choice((1, 2, 5, 40)))
    return _holes(rng, [rng.choice(some) for _ in range(n)])


def _constant(rng: Random, n: int) -> Any:
    return [rng.choice((1, 1.5, "zqcanary-1", True))] * n


def _dates(rng: Random, n: int) -> Any:
    days = np.array([rng.randrange(-200_000, 60_000) for _ in range(n)], "datetime64[D]")
    return days.astype(f"datetime64[{rng.choice(('s', 'ms', 'us'))}]")


def _durations(rng: Random, n: int) -> Any:
    unit = rng.choice(("s", "ms", "us", "ns"))
    return np.array([MANY + rng.randrange(1000) for _ in range(n)], f"timedelta64[{unit}]")


COMMON = (
    _integers, _integers, _small, _huge, _doubles, _doubles, _odd_doubles, _tiny, _texts, _texts,
    _integers, _doubles, _texts, _constant, _dates, _durations,
)  # fmt: skip


def _objects(rng: Random, n: int) -> Any:
    pool = [
        None, 1, "zqcanary-2", 2.5, True, Decimal("1.50"), DAY, DAY.date(), DAY.time(), b"zqcanary",
        dt.timedelta(1), (1, 2), [1], {"a": 1}, 10**30, float("nan"), "\ud800", 1j, Decimal("NaN"),
        Decimal("1E+400"), pd.NaT, pd.NA, np.float32(1), "zqcanary\x00", frozenset({1}), object,
    ]  # fmt: skip
    some = rng.sample(pool, rng.choice((1, 1, 2, 3)))
    values = np.empty(n, object)
    values[:] = [rng.choice(some) for _ in range(n)]
    return pd.Series(values, dtype=object)


def _categories(rng: Random, n: int) -> Any:
    levels = rng.choice(
        (["zqcanary-1", "zqcanary-2", "zqcanary-3"], [3, 1, 2], [1.5, 2.5], [True, False])
    )
    codes = [rng.randrange(-1, len(levels)) for _ in range(n)]
    return pd.Series(pd.Categorical.from_codes(codes, levels, ordered=rng.random() < 0.5))


def _extensions(rng: Random, n: int) -> Any:
    whole = _holes(rng, [rng.randrange(5) for _ in range(n)])
    kind = rng.choice(
        ("Int64", "UInt8", "Float32", "boolean", "string", "string[pyarrow]", "int64[pyarrow]",
         "double[pyarrow]", "duration[s][pyarrow]", "timestamp[us, UTC][pyarrow]")
    )  # fmt: skip
    if kind == "boolean":
        whole = [None if one is None else bool(one % 2) for one in whole]
    return pd.Series(whole, dtype="object").astype(kind)


def _periods(rng: Random, n: int) -> Any:
    days = pd.to_datetime([f"20{rng.randrange(10, 30)}-01-31" for _ in range(n)])
    return rng.choice(
        (
            lambda: pd.Series(pd.PeriodIndex(days, freq="M")),
            lambda: pd.Series(days.tz_localize("Europe/Paris")),
            lambda: pd.Series(pd.arrays.SparseArray(np.ones(n))),
            lambda: pd.Series(pd.arrays.IntervalArray.from_arrays(np.zeros(n), np.ones(n))),
            lambda: pd.Series(np.ones(n) * 1j),
            lambda: pd.Series([DAY.time() for _ in range(n)], dtype=object),
            lambda: pd.Series(np.ones(n, np.float16)),
            lambda: pd.Series(np.ones(n, np.longdouble)),
        )
    )()


OF_PANDAS = (_objects, _objects, _categories, _categories, _extensions, _periods)


def _arrow_of_common(rng: Random, n: int) -> Any:
    return pa.array(rng.choice(COMMON)(rng, n))


def _arrow_odd(rng: Random, n: int) -> Any:
    day = [rng.randrange(1, 1000) for _ in range(n)]
    made: tuple[Callable[[], Any], ...] = (
        lambda: pa.nulls(n),
        lambda: pa.array(_holes(rng, day), pa.int32()).cast(pa.date32()),
        lambda: pa.array(_holes(rng, day), pa.int64()).cast(pa.time64("us")),
        lambda: pa.array(_holes(rng, day), pa.int32()).cast(pa.time32("s")),
        lambda: pa.array(_holes(rng, day), pa.int64()).cast(pa.duration("ns")),
        lambda: pa.array(_holes(rng, day), pa.int64()).cast(pa.timestamp("us", "Asia/Tokyo")),
        lambda: pa.array([Decimal(d) / 4 for d in day], pa.decimal128(12, 2)),
        lambda: pa.array([Decimal(10) ** 60 + d for d in day], pa.decimal256(70, 0)),
        lambda: pa.array([Decimal(10) ** 37 + d for d in day], pa.decimal128(38, 0)),
        lambda: pa.array([Decimal(d) * 1000 for d in day], pa.decimal128(12, -2)),
        lambda: pa.array([[d] for d in day], pa.list_(pa.int64())),
        lambda: pa.array([{"x": d} for d in day], pa.struct([("x", pa.int64())])),
        lambda: pa.array([b"zqcanary" for _ in day], pa.binary()),
        lambda: pa.array([b"zqca" for _ in day], pa.binary(4)),
        lambda: pa.array(_texts(rng, n), pa.string()).dictionary_encode(),
        lambda: pa.array(_texts(rng, n), pa.large_string()),
        lambda: pa.array(_texts(rng, n), pa.string_view()),
        lambda: pa.array(day, pa.int64()).dictionary_encode(),
        lambda: pa.array(np.ones(n, np.float16)),
        lambda: pa.array([(1, 2, 3)] * n, pa.month_day_nano_interval()),
        lambda: pa.array([[("k", d)] for d in day], pa.map_(pa.string(), pa.int64())),
        lambda: pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array([1])),
        lambda: pa.array([d % 2 == 0 for d in day]),
    )
    return rng.choice(made)()


OF_ARROW = (_arrow_of_common, _arrow_of_common, _arrow_odd)


def _polars_odd(rng: Random, n: int) -> Any:
    day = [rng.randrange(1, 1000) for _ in range(n)]
    made: tuple[Callable[[], Any], ...] = (
        lambda: pl.Series(_texts(rng, n), dtype=pl.Categorical),
        lambda: pl.Series(_texts(rng, n), dtype=pl.Enum(CANARIES)),
        lambda: pl.Series(_texts(rng, n), dtype=pl.String),
        lambda: pl.Series([dt.time(3, d % 60) for d in day], dtype=pl.Time),
        lambda: pl.Series([dt.timedelta(d) for d in day], dtype=pl.Duration),
        lambda: pl.Series([DAY] * n, dtype=pl.Datetime("ns", "UTC")),
        lambda: pl.Series([[d] for d in day], dtype=pl.List(pl.Int64)),
        lambda: pl.Series([{"x": d} for d in day], dtype=pl.Struct({"x": pl.Int64})),
        lambda: pl.Series([Decimal(d) for d in day], dtype=pl.Decimal(12, 2)),
        lambda: pl.Series(day, dtype=pl.Int128),
        lambda: pl.Series([None] * n, dtype=pl.Null),
        lambda: pl.Series([b"zqcanary"] * n, dtype=pl.Binary),
        lambda: pl.Series([object() for _ in day], dtype=pl.Object),
        lambda: pl.Series([d % 2 == 0 for d in day], dtype=pl.Boolean),
        lambda: pl.Series([DAY.date()] * n, dtype=pl.Date),
    )
    return rng.choice(made)()


def _polars_of_common(rng: Random, n: int) -> Any:
    return pl.Series(rng.choice(COMMON)(rng, n))


OF_POLARS = (_polars_of_common, _polars_of_common, _polars_odd)
