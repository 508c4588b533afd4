from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import ParameterError, SchemaError, TableError, UsageError

BACKENDS = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "arrow-backed pandas": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda columns: pl.DataFrame(pa.table(columns)),
    "pyarrow": lambda columns: pa.table(columns),
}


def people(n=50, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "income": rng.lognormal(10, 1, n),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["n", "s"], n),
            "weight": rng.random(n),
        }
    )


@pytest.fixture
def frame():
    return people()


@pytest.fixture
def schema():
    columns = {
        "id": ("nominal", "drop"),
        "age": ("numeric", "key"),
        "income": ("numeric", "sensitive"),
        "sex": ("nominal", "key"),
        "region": ("nominal", "strata"),
        "weight": ("numeric", "keep"),
    }
    return sm.Schema(tuple(sm.Column(name, *facts) for name, facts in columns.items()))


# what comes out


def test_release_has_the_published_columns_in_the_order_of_the_table(frame, schema, masked):
    release = masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    assert list(release.data) == ["age", "income", "sex", "region", "weight"]
    assert release.audit.columns == tuple(release.data)
    assert release.data.dtypes.equals(frame.dtypes.drop("id"))


def test_roles_decide_what_moves(frame, schema, masked):
    release = masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    assert release.audit.moved.all(axis=0).tolist() == [True, True, True, False, False]
    assert release.data["weight"].equals(frame["weight"])
    assert release.data["region"].equals(frame["region"])
    regions = frame["region"].to_numpy()
    assert (regions[release.audit.donors] == regions[:, None]).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_order_of_the_schema_does_not_matter(backend, masked):
    columns = {"a": np.arange(30.0), "b": np.arange(30.0) * 1000, "c": ["x", "y", "z"] * 10}
    table = BACKENDS[backend](columns)
    facts = [sm.Column("a", "numeric"), sm.Column("b", "numeric", "keep"),
             sm.Column("c", "nominal")]  # fmt: skip
    one = masked(table, sm.RWN(k=3), schema=sm.Schema(tuple(facts)), seed=1)
    two = masked(table, sm.RWN(k=3), schema=sm.Schema(tuple(facts[::-1])), seed=1)
    assert one.audit.columns == two.audit.columns == ("a", "b", "c")
    assert np.array_equal(one.audit.donors, two.audit.donors)
    assert one.data.equals(two.data)


def test_all_columns_are_masked_without_a_schema(frame, masked):
    release = masked(frame.drop(columns="id"), sm.RWN(k=3), seed=1)
    assert release.audit.moved.all()


def test_numbers_without_role_in_the_distance_do_not_matter(frame, schema, masked):
    one = masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    two = masked(frame.assign(weight=np.inf, id=7), sm.RWN(k=3), schema=schema, seed=1)
    assert np.array_equal(one.audit.donors, two.audit.donors)


@pytest.mark.parametrize("backend", list(BACKENDS)[1:])
def test_every_library_gives_the_same_donors(backend, masked):
    frame = people(200)
    columns = {name: frame[name].to_numpy() for name in ("age", "income", "sex")}
    other = masked(BACKENDS[backend](columns), sm.RWN(k=3), seed=1)
    assert np.array_equal(
        other.audit.donors, masked(pd.DataFrame(columns), sm.RWN(k=3), seed=1).audit.donors
    )


def test_input_is_untouched(frame, schema, masked):
    before = frame.copy(deep=True)
    masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    pd.testing.assert_frame_equal(frame, before)


def test_release_knows_method_settings_and_whether_it_can_be_reproduced(frame, schema, masked):
    release = masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    assert release.method == "rwn"
    assert release.settings["k"] == 3
    assert release.reproducible
    assert not masked(frame, sm.RWN(k=3), schema=schema).reproducible


def test_row_order_of_the_release_and_donors_have_streams_of_their_own(frame, schema, masked):
    one = masked(frame, sm.RWN(k=3), schema=schema, seed=1)
    two = masked(frame, sm.RWN(k=4), schema=schema, seed=1)
    assert np.array_equal(one.audit.owner, two.audit.owner)


# how much changed


def test_changes_tell_moved_from_changed():
    frame = pd.DataFrame({"same": ["x"] * 30, "own": np.arange(30.0)})
    with pytest.warns(sm.SwapmeetWarning, match="column same: effectively unchanged"):
        release = sm.mask(frame, sm.RWN(k=3), seed=1)
    same, own = release.changes
    assert (same.name, same.moved, same.changed, same.suppressed) == ("same", 1.0, 0.0, 0.0)
    assert (own.name, own.moved, own.changed, own.suppressed) == ("own", 1.0, 1.0, 0.0)
    assert release.notes[0].startswith("column same: effectively unchanged")


@pytest.mark.filterwarnings("error::swapmeet.SwapmeetWarning")
def test_columns_that_were_not_to_move_are_not_warned_of():
    frame = pd.DataFrame({"same": ["x"] * 30, "own": np.arange(30) + 0.5})
    assert sm.mask(frame, sm.RWN(k=3, q=0.0), seed=1).notes == ()
    method = sm.PerColumn(parts=[(sm.RWN(k=3), ["own"])])
    assert sm.mask(frame, method, seed=1).notes == ()


@pytest.mark.parametrize(
    ("method", "owned"),
    [
        (sm.RWN(k=3), True),
        (sm.Noise(), True),
        (sm.Microaggregation(), True),
        (sm.MEDS(k=3), True),
        (sm.Cart(), False),
        (sm.DataShuffle(), False),
        (sm.DataShuffle(predictors=["age"]), True),
        (sm.PerColumn(parts=[(sm.Cart(), ["age", "income"])]), False),
        (sm.PerColumn(parts=[(sm.Cart(), ["age"]), (sm.RWN(k=3), ["income"])]), True),
        (sm.PerColumn(parts=[(sm.Cart(), ["age"])]), True),
    ],
)
def test_rows_are_owned_unless_they_are_synthetic_in_every_column(frame, masked, method, owned):
    assert masked(frame[["age", "income"]], method, seed=1).audit.owned is owned


def test_missing_values_move_like_any_other(masked):
    values = np.where(np.arange(60) % 2, np.nan, np.arange(60))
    release = masked(pd.DataFrame({"x": values}), sm.RWN(k=35), seed=1)
    assert np.array_equal(release.data["x"], values[release.audit.donors[:, 0]], equal_nan=True)
    assert (release.data["x"].isna() != np.isnan(values)).any()


# what is refused


def test_no_rows_are_refused(frame):
    with pytest.raises(TableError) as caught:
        sm.mask(frame[:0], sm.RWN(k=3))
    assert str(caught.value) == "the table has no rows; there is nothing to mask."


def test_a_table_of_one_row_is_refused_for_nobody_can_trade_with_it():
    with pytest.raises(TableError, match="only 1 row; there is no other to trade values with"):
        sm.mask(pd.DataFrame({"x": [1.5], "y": [2.5]}), sm.SJPPDS())


def test_no_columns_to_mask_are_refused(frame):
    schema = sm.Schema.infer(frame[["age", "sex"]]).assign(keep=["age"], drop=["sex"])
    with pytest.raises(TableError) as caught:
        sm.mask(frame[["age", "sex"]], sm.RWN(k=3), schema=schema)
    assert str(caught.value) == (
        "no column to mask (1 keep, 1 drop). Give at least one the role key or sensitive."
    )


@pytest.mark.parametrize(
    ("method", "got"),
    [
        (sm.RWN, "RWN"),
        ("rwn", "the name 'rwn'. Give sm.RWN(...) with its parameters"),
        ("rvn", "str"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_method_is_refused(frame, method, got):
    with pytest.raises(UsageError) as caught:
        sm.mask(frame, method)
    assert str(caught.value) == (f"mask: `method` must be a method such as RWN(k=10); got {got}.")


def test_what_is_no_schema_is_refused(frame):
    with pytest.raises(UsageError, match="`schema` must be a Schema; got a dict"):
        sm.mask(frame, sm.RWN(k=3), schema={"age": "key"})


def test_schema_of_another_table_is_refused(frame, schema):
    with pytest.raises(SchemaError, match="no column 'age'"):
        sm.mask(frame.drop(columns="age"), sm.RWN(k=3), schema=schema)


def test_wrong_seed_is_refused(frame, schema):
    with pytest.raises(ParameterError, match="`seed` must be a whole number"):
        sm.mask(frame, sm.RWN(k=3), schema=schema, seed="1")


def test_infinite_values_are_refused_where_they_matter(frame, schema, masked):
    frame.loc[3, "income"] = np.inf
    with pytest.raises(SchemaError, match="column 'income' holds 1 infinite value "):
        sm.mask(frame, sm.RWN(k=3), schema=schema)
    masked(frame, sm.RWN(k=3), schema=schema.assign(keep=["income"]))


# random tables


def column(rng, sort, n):
    """A column of one of the sorts that are met in practice."""
    few = rng.integers(0, 4, n)
    holes = rng.random(n) < 0.2
    holed = [None if hole else int(code) for code, hole in zip(few, holes, strict=True)]
    day = dt.date(2020, 1, 1)
    makers = {
        "doubles": lambda: rng.normal(size=n),
        "ties": lambda: np.round(rng.normal(size=n)),
        "holes": lambda: np.where(holes, np.nan, rng.normal(size=n)),
        "constant": lambda: np.full(n, 0.1),
        "integers": lambda: rng.integers(-(2**40), 2**40, n),
        "nullable": lambda: pd.array(holed, "Int64"),
        "booleans": lambda: rng.random(n) < 0.5,
        "text": lambda: pd.array([None if c is None else "äß\n\0"[c] for c in holed], "str"),
        "odd text": lambda: rng.choice(["", " ", "nan", "NULL", "-1"], n) if n else [],
        "category": lambda: pd.Categorical.from_codes(few, list("zyxw")),
        "ordered": lambda: pd.Categorical.from_codes(few - 4 * (few == 3), [*"zyx"], ordered=True),
        "days": lambda: pd.Series([day + dt.timedelta(int(c)) for c in few], dtype=object),
        "zoned": lambda: pd.Series(pd.Timestamp("2020-03-29", tz="Europe/Vienna"))
        .repeat(n).reset_index(drop=True) + pd.to_timedelta(few, "h"),
        "decimals": lambda: pd.Series([Decimal(int(c)) / 4 for c in few], dtype=object),
        "waits": lambda: pd.to_timedelta(few, "s"),
        "empty": lambda: pd.Series([None] * n, dtype=object),
        "arrow": lambda: pd.array(holed, "int32[pyarrow]"),
        "float32": lambda: rng.normal(size=n).astype(np.float32),
    }  # fmt: skip
    return makers[sort]()


SORTS = (
    "doubles", "ties", "holes", "constant", "integers", "nullable", "booleans", "text", "odd text",
    "category", "ordered", "days", "zoned", "decimals", "waits", "empty", "arrow", "float32",
)  # fmt: skip
NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(["", " ", "index", "sample", "cells", "a,b", "名", "x" * 300, "columns", "0"]),
)
METHODS = st.one_of(
    st.builds(
        sm.RWN,
        k=st.integers(1, 4),
        eps=st.sampled_from([0.0, 0.2, 5.0]),
        q=st.sampled_from([0.0, 0.4, 1.0]),
        weights=st.sampled_from([1.0, 0.05, 0.0]),
        scale=st.sampled_from(["unit", "zscore"]),
        ties=st.sampled_from(["random", "all"]),
    ),
    st.builds(sm.NBRS, eps=st.sampled_from([1e-6, 0.7, 100.0]), q=st.sampled_from([0.3, 1.0])),
)


@st.composite
def tables(draw):
    """A table with a schema; the last column, if any, holds strata."""
    n = draw(st.integers(0, 40))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    sorts = draw(st.lists(st.sampled_from(SORTS), min_size=len(names), max_size=len(names)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    columns = {name: column(rng, sort, n) for name, sort in zip(names, sorts, strict=True)}
    frame = pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})
    if draw(st.booleans()) and n:
        frame = frame.take(rng.integers(0, n, n)).reset_index(drop=True)
    library = draw(st.sampled_from(["pandas", "pyarrow", "polars"]))
    strata = names[1:2] if draw(st.booleans()) else []
    if library == "pandas":
        frame.index = rng.permutation(n)
        return frame, strata
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if library == "pyarrow":
        return table, strata
    columns = {name: pl.Series(table[name]) for name in names}
    return pl.DataFrame(columns), strata


def listed(frame):
    if isinstance(frame, pa.Table):
        return {name: frame[name].to_pylist() for name in frame.column_names}
    return {name: frame[name].to_list() for name in frame.columns}


def shown(cells):
    """Cells that can be compared: a missing one equals a missing one."""
    return ["missing" if cell is None or pd.isna(cell) else cell for cell in cells]


def dtypes(frame):
    if isinstance(frame, pa.Table):
        return {field.name: field for field in frame.schema}
    return {name: without_levels(frame[name].dtype) for name in frame.columns}


def without_levels(kind):
    """A dtype; of one that lists its levels, all but these."""
    if not hasattr(getattr(kind, "categories", None), "dtype"):
        return kind
    return type(kind), getattr(kind, "ordered", True), kind.categories.dtype


@given(table=tables(), method=METHODS, seed=st.integers(0, 50))
def test_any_table_keeps_its_schema_and_its_strata(masked, table, method, seed):
    frame, strata = table
    before, n = {name: shown(cells) for name, cells in listed(frame).items()}, len(frame)
    schema = sm.Schema.infer(frame).assign(strata=strata)
    sizes = pd.Series(
        list(zip(*(before[s] for s in strata), strict=True)) or [0] * n
    ).value_counts()
    if n < 2 or (isinstance(method, sm.RWN) and sizes.min() <= method.k):
        with pytest.raises(TableError):
            masked(frame, method, schema=schema, seed=seed)
        return
    release = masked(frame, method, schema=schema, seed=seed)
    after = {name: shown(cells) for name, cells in listed(release.data).items()}
    assert type(release.data) is type(frame)
    assert list(after) == list(before)
    assert {name: shown(cells) for name, cells in listed(frame).items()} == before
    if isinstance(frame, pd.DataFrame):
        assert release.data.index.equals(pd.RangeIndex(n))
    kinds, new_kinds = dtypes(frame), dtypes(release.data)
    for (name, cells), donors in zip(before.items(), release.audit.donors.T, strict=True):
        given_cells = ["missing" if donor < 0 else cells[donor] for donor in donors]
        assert after[name] == given_cells
        assert kinds[name] == new_kinds[name] or (donors < 0).any()
        for stratum in strata:
            inside = [donor < 0 or before[stratum][donor] == before[stratum][row]
                      for row, donor in enumerate(donors)]  # fmt: skip
            assert all(inside)


@given(
    values=st.lists(
        st.sampled_from([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-320]),
        min_size=3,
        max_size=20,
    ),
    scale=st.sampled_from(["unit", "zscore"]),
)
def test_extreme_numbers_are_masked_or_refused_with_their_count(masked, values, scale):
    frame = pd.DataFrame({"x": values})
    beyond = sum(abs(value) > 1e150 for value in values)
    method = sm.RWN(k=2, scale=scale)
    if beyond:
        with pytest.raises(SchemaError, match=f"column 'x' holds {beyond} infinite value"):
            masked(frame, method, seed=1)
    else:
        assert masked(frame, method, seed=1).audit.moved.all()


def test_more_rows_than_one_block_of_the_streams(masked):
    """Rows beyond 65,536 have another stream and must be as good as those before."""
    n = 70_000
    frame = pd.DataFrame({"x": np.random.default_rng(0).random(n), "y": np.arange(n) % 7.0})
    one, two = (
        masked(frame, sm.RWN(k=3, q=0.5), seed=1, engine=sm.Local(threads=t)) for t in (1, 2)
    )
    assert np.array_equal(one.audit.donors, two.audit.donors)
    tail = one.audit.moved[65_536:]
    assert abs(tail.mean() - 0.5) < 4.5 * np.sqrt(0.25 / tail.size)


@pytest.mark.parametrize("first", [True, False])
def test_noise_does_not_turn_true_into_false(first, masked):
    flags = np.random.default_rng(1).random(300) < 0.3
    flags[0] = first
    table = pa.table({"flag": flags, "x": np.arange(300.0)})
    schema = sm.Schema.guess(table, {}).assign(numeric=["flag"])
    release = masked(table, sm.Noise(level=0.01), schema=schema, seed=1)
    assert np.array_equal(release.data["flag"].to_numpy(), flags)
