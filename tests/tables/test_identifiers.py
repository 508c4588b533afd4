from __future__ import annotations

import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet import io
from swapmeet.datasets import DATASETS
from swapmeet.tables.frame import Table
from swapmeet.tables.identifiers import find_identifier
from swapmeet.tables.schema import Schema

RNG = np.random.default_rng(13)
N = 200
FIRST = ("Anna", "Ben", "Carla", "Dario", "Eva", "Fynn", "Gina", "Hugo", "Ida", "Jon", "Kim", "Lea")
WORDS = ("came", "late", "asked", "for", "help", "with", "rent", "and", "left", "again")


def judge(name, values):
    return find_identifier(name, pa.array(values))


def digits(count, rows=N):
    return RNG.choice(10**count, rows, replace=False)


IDENTIFIERS = {
    "names of people": ("surname", [FIRST[n % 12] for n in range(N)]),
    "names under another heading": ("who", [f"{FIRST[n % 12]} {n}son" for n in range(N)]),
    "e-mail addresses": ("contact", [f"p{n % 40}@example.org" for n in range(N)]),
    "telephone numbers": ("reach", [f"+41 79 {n:03d} {n % 90 + 10} 11" for n in range(N)]),
    "American telephone numbers": ("reach", [f"555-{n:03d}-{n:04d}" for n in range(N)]),
    "social security numbers": ("code", [f"{n:03d}-{n % 90 + 10}-{n:04d}" for n in range(100)] * 5),
    "Swiss social security numbers": ("x", [f"756.{n:04d}.{n:04d}.11" for n in range(50)] * 9),
    "identifiers of machines": ("x", [str(uuid.UUID(int=n)) for n in range(N)]),
    "free text": ("remark", [" ".join(RNG.choice(WORDS, 7)) for _ in range(N)]),
    "unique texts": ("x", [f"p{n}" for n in range(N)]),
    "nearly unique texts": ("x", [f"p{max(n, 15)}" for n in range(N)]),
    "row numbers": ("x", list(range(N))),
    "row numbers with gaps": ("x", RNG.permutation(RNG.choice(300, N, replace=False))),
    "row numbers in steps of ten": ("x", list(range(1000, 1000 + 10 * N, 10))),
    "numbers in the order of the rows": ("x", np.sort(RNG.choice(3000, N, replace=False))),
    "numbers by name": ("person_id", digits(7)),
    "numbers of cases": ("case_nr", digits(7)),
    "numbers of people in a panel": ("pid", np.repeat(digits(6, 40), 5)),
    "households": ("hid", np.repeat(digits(6, 50), 4)),
    "long codes": ("x", 10**10 * 4 + digits(9)),
    "numbers with a missing one": ("x", [None, *range(N)]),
    "numbers as texts": ("x", ["unknown", *map(str, range(N))]),
    "numbers as doubles": ("x", [float(n) for n in range(N)]),
    "numbers as doubles, some missing": ("x", [None, *(float(n) for n in range(N))]),
    "long codes as doubles": ("x", (10**10 * 4 + digits(9)).astype(float)),
    "longer codes than doubles hold": ("x", (10**16 * 4 + 10**7 * digits(9)).astype(float)),
    "numbers of patients, as SPSS has them": ("PATID", digits(7).astype(float)),
    "numbers of cases, as SPSS has them": ("caseid", digits(7).astype(float)),
    "numbers as decimals": ("x", [Decimal(n) for n in range(N)]),
}


@pytest.mark.parametrize("label", IDENTIFIERS)
def test_an_identifier_is_found(label):
    assert judge(*IDENTIFIERS[label]), label


MEASUREMENTS = {
    "numbers with a fraction": ("x", RNG.normal(0, 1, N)),
    "sums of money": ("income", RNG.integers(10_000, 200_000, N)),
    "unique sums of money": ("income", RNG.choice(90_000, N, replace=False) + 10_000),
    "unique sums of money as doubles": ("income", RNG.choice(90_000, N, replace=False) + 1e4),
    "huge measurements": ("x", 10.0 ** RNG.uniform(15, 18, N)),
    "persons in a household": ("pers_no", RNG.integers(1, 14, 10 * N).astype(float)),
    "sums of money as texts": ("income", [f"{n * 37 % 9999},{n % 90 + 10}" for n in range(N)]),
    "ages": ("age", RNG.integers(18, 90, N)),
    "weeks, in sequence": ("weeks", [n % 53 for n in range(N)]),
    "dates of birth": ("born", pd.date_range("1950", periods=N)),
    "dates of birth as texts": ("born", [f"{n % 28 + 1:02d}.03.{1900 + n // 2}" for n in range(N)]),
    "dates of birth as numbers": ("born", [19_000_101 + 10_000 * (n % 90) + n for n in range(N)]),
    "moments as numbers": ("x", 1_600_000_000 + digits(8)),
    "many occupations": ("occupation", [f"occupation {n % 90}" for n in range(N)]),
    "postcodes": ("zip", [f"{n:05d}" for n in RNG.permutation(90_000)[:N]]),
    "a town's number": ("region_id", [n % 40 for n in range(N)]),
    "income classes": ("income", [f"{n % 30}0000-{n % 30}9999" for n in range(N)]),
    "long labels": ("answer", ["I agree with all that was said"] * 9 + ["no"] * (N - 9)),
    "true or false": ("x", [True, False] * 50),
    "nothing": ("x", [None] * N),
    "lists": ("x", [[n] for n in range(N)]),
    "few rows": ("x", ["a", "b", "c"]),
    "a dummy whose name begins with id": ("idp", [0, 1] * 100),
    "number of children": ("no_children", RNG.integers(0, 12, N)),
}


@pytest.mark.parametrize("label", MEASUREMENTS)
def test_a_measurement_is_no_identifier(label):
    assert judge(*MEASUREMENTS[label]) is None, label


@pytest.mark.parametrize("label", [*IDENTIFIERS, *MEASUREMENTS])
def test_whole_numbers_are_judged_alike_as_integers_and_as_doubles(label):
    name, values = (IDENTIFIERS | MEASUREMENTS)[label]
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        assert judge(name, values.astype(float)) == judge(name, values)


@pytest.mark.parametrize("label", IDENTIFIERS)
def test_the_reason_has_no_value(label):
    name, values = IDENTIFIERS[label]
    said = judge(name, values)
    assert not [v for v in map(str, values) if len(v) > 4 and v in said]


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_unique_categories_are_found_whatever_library_holds_them(library):
    texts = [f"p{n}" for n in range(N)]
    frames = {
        "pandas": lambda: pd.DataFrame({"x": pd.Categorical(texts, ordered=True)}),
        "polars": lambda: pl.DataFrame({"x": pl.Series(texts, dtype=pl.Enum(texts))}),
        "arrow": lambda: pa.table({"x": pa.array(texts).dictionary_encode()}),
    }
    assert Table.of(frames[library]()).find_identifier("x")


def test_categories_that_are_not_used_do_not_count():
    column = pd.Categorical(["a", "b"] * 50, categories=[*(f"p{n}" for n in range(90)), "a", "b"])
    assert Table.of(pd.DataFrame({"name": column})).find_identifier("name") is None


def test_what_a_file_declares_does_not_hide_an_identifier():
    frame = pd.DataFrame({"x": [float(n) for n in range(N)]})
    assert Schema.guess(frame, {"x": "nominal"})["x"].identifier


@given(
    name=st.text(max_size=12),
    values=st.one_of(
        st.lists(st.one_of(st.none(), st.text(max_size=20)), max_size=40),
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=40),
        st.lists(st.one_of(st.none(), st.floats()), max_size=40),
    ),
)
def test_any_column_can_be_judged(name, values):
    assert isinstance(judge(name, values), str | None)


@pytest.mark.parametrize("name", DATASETS)
def test_built_in_data_have_no_identifier(name):
    assert Schema.guess(sm.datasets.load(name), {}).undecided == ()


SHARED = {
    "abalone": (), "adult": (), "bodyfat": ("case",), "census": (), "households": ("hid",),
    "magic04": (), "pef": (), "pima": (), "prgeng": (), "svcensus": (), "tarragona": (),
}  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
def test_real_data_have_the_identifiers_that_they_have(name, shared):
    document = io.read(next((shared / "data").glob(f"{name}.csv*")))
    found = Schema.guess(document.frame, document.kinds).undecided
    assert tuple(column.name for column in found) == SHARED[name]


def test_chance_seldom_makes_an_identifier_of_whole_numbers():
    """Ages of 12 people: fewer than 1 of 100 tables may be taken for numbers given out.

    The chance that 12 of 60 ages differ and run on is below 0.0001, so that 3 of 300 tables are
    exceeded in fewer than 1 of 10,000 runs.
    """
    rng = np.random.default_rng(5)
    found = sum(judge("age", rng.integers(20, 80, 12)) is not None for _ in range(300))
    assert found <= 3


def test_texts_of_a_dictionary_are_not_repeated_row_by_row():
    words = pa.array(["x" * 100_000 + str(i) for i in range(4)] + [None])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 4, None] * 2000, pa.int8()), words)
    before = pa.total_allocated_bytes()
    peak = pa.default_memory_pool().max_memory()
    assert find_identifier("x", column) is None
    assert pa.total_allocated_bytes() - before < 10_000_000
    assert pa.default_memory_pool().max_memory() - max(peak, before) < 10_000_000


@pytest.mark.parametrize("index", [pa.int8(), pa.uint64()])
def test_numbers_in_a_dictionary_are_judged_like_others(index):
    texts = pa.array([str(i) for i in range(100, 220)])
    column = pa.DictionaryArray.from_arrays(pa.array(range(120), index), texts)
    assert find_identifier("x", column) == find_identifier("x", texts)
    assert "given out in sequence" in find_identifier("x", texts)
