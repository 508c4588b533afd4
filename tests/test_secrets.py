"""Planted values, a planted seed and the donors appear in no text that Swapmeet gives out."""

from __future__ import annotations

import logging
import traceback
import warnings
from dataclasses import fields, is_dataclass
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.algorithms.encode import Encoding, Scale
from swapmeet.base.seeds import Seed
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

N = 60
WORD = "CANARYBIRD"
NUMBER = 7_316_540_298
SEED = 918_273_645_546_372_819
SECRETS = (WORD, "CANARY", str(NUMBER), "7316540298", "7.31654", "7,316,540,298", str(SEED))


def planted():
    """Every column holds a canary; the schema is good."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=N)
    numbers[7] = NUMBER + 0.25
    towns = rng.choice(["a", "b"], N).astype(object)
    towns[7] = WORD
    return pd.DataFrame(
        {
            "number": numbers,
            "whole": np.where(np.arange(N) == 7, NUMBER, np.arange(N)),
            "town": towns,
            "ordered": pd.Categorical(towns, ["a", "b", WORD], ordered=True),
            "money": [Decimal(NUMBER) if i == 7 else Decimal(i) for i in range(N)],
            "region": np.where(np.arange(N) == 7, WORD, "n"),
        }
    )


def schema_of(frame, **roles):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return sm.Schema.infer(frame).assign(**roles)


GOOD = planted()
SCHEMA = schema_of(GOOD)


class Ears:
    """Hears everything that is said: warnings, log records, both streams, error texts."""

    def __init__(self, caplog, capsys):
        self.caplog, self.capsys, self.texts = caplog, capsys, []
        caplog.set_level(logging.DEBUG)

    def listen(self, action):
        result = None
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                result = action()
            except sm.SwapmeetError as error:
                self.texts += [str(error), repr(error), *traceback.format_exception_only(error)]
                self.texts += [str(cause) for cause in chain(error)]
        self.texts += [str(warning.message) for warning in told]
        self.texts += [record.getMessage() for record in self.caplog.records]
        self.texts += list(self.capsys.readouterr())
        return result

    def assert_nothing_secret(self, *more):
        for text in self.texts:
            for secret in (*SECRETS, *more):
                assert secret not in text


def chain(error):
    """The errors that a traceback would print with this one."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.fixture
def ears(caplog, capsys):
    return Ears(caplog, capsys)


def everything(thing, depth=3):
    """The thing and what it consists of, except released data and the secrets' own holders."""
    yield thing
    if depth and is_dataclass(thing):
        for field in fields(thing):
            if field.name not in {"data", "matrix", "owner", "key", "values", "strata", "name"}:
                value = getattr(thing, field.name)
                yield from everything(value, depth - 1)


LIBRARIES = {
    "pandas": lambda frame: frame,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame),
    "polars": lambda frame: pl.DataFrame(pa.Table.from_pandas(frame)),
}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "method",
    [
        sm.RWN(k=3),
        sm.RWN(k=3, search="sample", sample=20, weights={"number": 0.5}),
        sm.NBRS(eps=0.5),
        sm.PerColumn(parts=[(sm.RWN(k=3), ["number"]), (sm.NBRS(eps=1.0), ["town", "whole"])]),
    ],
)
def test_good_masking_tells_nothing(ears, method, library):
    frame = LIBRARIES[library](GOOD)
    schema = schema_of(frame)
    release = ears.listen(lambda: sm.mask(frame, method, schema=schema, seed=SEED))
    things = [*everything(release), *everything(method), *everything(schema)]
    ears.texts += [text for thing in things for text in (repr(thing), str(thing), f"{thing}")]
    key = release.audit.seed.key
    rows = [str(row) for row in release.audit.donors.tolist()]
    rows += [str(release.audit.owner.tolist()[:5])[1:-1]]
    ears.assert_nothing_secret(key.hex(), repr(key), repr(key)[2:-1], f"{SEED:x}", *rows)
    assert len(ears.texts) > 20


def test_what_methods_see_shows_nothing_either(ears):
    table = Table(GOOD)
    data = Microdata.of(table, SCHEMA)
    encoding = Encoding.fit(data, Scale.UNIT, {})
    streams = Seed.chosen_by_user(SEED).within("rwn")
    things = [table, data, *data.variables, encoding, *encoding.axes, encoding.points(data)]
    things += [table.codes("town"), streams, streams.seed, sm.Local()]
    ears.texts += [text for thing in things for text in (repr(thing), str(thing))]
    extremes = [repr(float(GOOD["number"].min())), str(GOOD["number"].min())]
    ears.assert_nothing_secret(*extremes, f"{SEED:x}")


def test_canary_in_the_index_is_not_published(masked):
    frame = GOOD.set_index(pd.Index([f"{WORD}-{i}" for i in range(N)], name=WORD))
    release = masked(frame, sm.RWN(k=3), schema=SCHEMA, seed=1)
    assert WORD not in str(release.shuffled().index)
    assert WORD not in repr(release)


def test_dropped_values_are_nowhere_in_the_release(masked):
    schema = SCHEMA.assign(drop=["town", "ordered", "region"])
    release = masked(GOOD, sm.RWN(k=3), schema=schema, seed=1)
    assert WORD not in release.data.to_csv()
    assert WORD not in release.shuffled().to_csv()
    assert set(release.audit.columns) == {"number", "whole", "money"}


def with_column(values, **roles):
    frame = GOOD[["number"]].copy()
    frame["bad"] = pd.Series(values, dtype=object)
    return frame


def bad(name):
    """A request that must be refused."""
    frame, rwn, mask = planted(), sm.RWN(k=3), sm.mask
    mixed = with_column([WORD, 1, 2.5] * 20)
    return {
        "mixed types": lambda: mask(mixed, rwn),
        "nested": lambda: mask(with_column([[WORD]] * N), rwn),
        "binary": lambda: mask(with_column([WORD.encode()] * N), rwn),
        "too large": lambda: mask(with_column([NUMBER**4] * N), rwn),
        "infinite": lambda: mask(frame.replace({"number": {NUMBER + 0.25: np.inf}}), rwn),
        "text as number": lambda: mask(frame, rwn, schema=SCHEMA.assign(numeric=["town"])),
        "text as order": lambda: mask(frame, rwn, schema=SCHEMA.assign(ordinal=["region"])),
        "words for kinds": lambda: mask(
            frame[["town"]], rwn, schema=sm.Schema((sm.Column("town", "numeric"),))
        ),
        "mixed strata": lambda: mask(mixed, rwn, schema=schema_of(mixed, strata=["bad"])),
        "small strata": lambda: mask(frame, rwn, schema=SCHEMA.assign(strata=["region"])),
        "too many neighbours": lambda: mask(frame, sm.RWN(k=N), schema=SCHEMA),
        "too few candidates": lambda: mask(
            frame, sm.RWN(k=9, search="sample", sample=5), schema=SCHEMA
        ),
        "too many parts": lambda: mask(
            frame, sm.RWN(k=9, search="partition", parts=30), schema=SCHEMA
        ),
        "weights of nobody": lambda: mask(frame, sm.RWN(k=3, weights={"nobody": 1})),
        "column as parameter": lambda: sm.RWN(k=frame["whole"]),
        "column as weights": lambda: sm.RWN(weights=frame["number"]),
        "columns as weights": lambda: sm.RWN(weights={"town": frame["town"]}),
        "table as parts": lambda: sm.PerColumn(parts=frame),
        "column as names of a part": lambda: mask(
            frame, sm.PerColumn(parts=[(rwn, list(frame["whole"]))])
        ),
        "column as choice": lambda: sm.RWN(ties=frame["town"]),
        "array as fraction": lambda: sm.RWN(q=frame["number"].to_numpy()),
        "column as role": lambda: SCHEMA.assign(drop=frame["town"]),
        "numbers as role": lambda: SCHEMA.assign(drop=frame["whole"].to_list()),
        "column as schema": lambda: mask(frame, rwn, schema=frame["town"]),
        "table as method": lambda: mask(frame, frame),
        "column as table": lambda: mask(frame["town"], rwn),
        "dictionary as table": lambda: mask(frame.to_dict(), rwn),
        "rows as table": lambda: mask(frame.to_numpy(), rwn),
        "lazy table": lambda: mask(pl.DataFrame({"town": [WORD]}).lazy(), rwn),
        "names twice": lambda: mask(frame.set_axis(["a", "a", *"bcde"], axis=1), rwn),
        "names from data": lambda: mask(
            frame.T.set_axis(frame["whole"].to_list(), axis=1).reset_index(drop=True), rwn
        ),
        "seed as text": lambda: mask(frame, rwn, schema=SCHEMA, seed=str(SEED)),
        "seed too large": lambda: mask(frame, rwn, schema=SCHEMA, seed=SEED**9),
        "negative seed": lambda: mask(frame, rwn, schema=SCHEMA, seed=-SEED),
        "seed as number": lambda: mask(frame, rwn, schema=SCHEMA, seed=float(SEED)),
        "no rows": lambda: mask(frame[:0], rwn, schema=SCHEMA, seed=SEED),
        "nothing to mask": lambda: mask(frame, rwn, schema=SCHEMA.assign(keep=SCHEMA.names)),
        "other table": lambda: mask(frame.drop(columns="town"), rwn, schema=SCHEMA),
        "column called column_names": lambda: mask(
            frame.assign(column_names=WORD), sm.RWN(k=N), schema=None
        ),
        "threads": lambda: sm.Local(threads=frame["whole"]),
        "audit record": lambda: sm.AuditRecord.load("/dev/null"),
    }[name]


BAD = (
    "mixed types", "nested", "binary", "too large", "infinite", "text as number", "text as order",
    "words for kinds", "mixed strata", "small strata", "too many neighbours", "too few candidates",
    "too many parts", "weights of nobody", "column as parameter", "column as weights",
    "columns as weights", "table as parts", "column as names of a part", "column as choice",
    "array as fraction", "column as role", "numbers as role", "column as schema",
    "table as method", "column as table", "dictionary as table", "rows as table", "lazy table",
    "names twice", "names from data", "seed as text", "seed too large", "negative seed",
    "seed as number", "no rows", "nothing to mask", "other table", "column called column_names",
    "threads", "audit record",
)  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_refusals_tell_nothing(ears, name):
    assert ears.listen(bad(name)) is None
    assert any(ears.texts), "the request must be refused with a text"
    ears.assert_nothing_secret(str(SEED)[:12], str(NUMBER)[:7])


@pytest.mark.parametrize("name", BAD)
def test_refusals_are_errors_of_our_own(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        with pytest.raises(sm.SwapmeetError) as caught:
            bad(name)()
    assert caught.value.exit_code in {2, 3}
    assert str(caught.value).strip()
