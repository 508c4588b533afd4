"""Tables of any library that streams rows as Arrow does."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.errors import TableError
from swapmeet.tables.frame import gather

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "age": rng.integers(18, 90, 80),
            "income": pa.array(rng.integers(0, 9999, 80).astype(np.int32)).cast(
                pa.decimal128(12, 2)
            ),
            "sex": rng.choice(["f", "m"], 80),
        }
    )


class Stream:
    """A table of a library that nobody knows."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


WAYS = {
    "relation": lambda people: duckdb.sql("select * from people"),
    "reader": lambda people: people.to_reader(max_chunksize=7),
    "record batch": lambda people: people.combine_chunks().to_batches()[0],
    "stranger": Stream,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_is_masked_assessed_and_inspected_as_a_pyarrow_table(people, way, masked):
    release = masked(WAYS[way](people), sm.RWN(k=5), seed=1)
    wanted = masked(people, sm.RWN(k=5), seed=1)
    assert isinstance(release.data, pa.Table)
    assert release.data.equals(wanted.data)
    cards = [
        sm.assess(data, made, measures=["pscr", "correlations"], limits={}).to_dict()["scores"]
        for data, made in ((WAYS[way](people), release), (people, wanted))
    ]
    assert cards[0] == cards[1]
    published = WAYS[way](release.shuffled())
    assert sm.assess(people, published, measures=["correlations"], limits={})["correlations"]
    assert sm.inspect(WAYS[way](people)).rows == 80


def test_a_lazy_frame_gives_a_polars_frame(people, masked):
    lazy = pl.from_arrow(people).lazy().filter(pl.col("age") > 30)
    release = masked(lazy, sm.RWN(k=5), seed=1)
    assert isinstance(release.data, pl.DataFrame)
    assert release.data.equals(masked(lazy.collect(), sm.RWN(k=5), seed=1).data)


def test_a_reader_that_was_read_is_refused_rather_than_taken_for_an_empty_table(people):
    reader = people.to_reader()
    gather(reader)
    with pytest.raises(TableError, match="only once"):
        gather(reader)


def test_a_stream_that_fails_is_told_without_its_words(people):
    relation = duckdb.sql(
        "select age, case when age > 20 then error('Ann-4711') end as b from people"
    )
    with pytest.raises(TableError, match="its stream failed") as caught:
        gather(relation)
    assert "Ann" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_what_is_a_table_already_stays_as_it_is(people):
    for table in (people, people.to_pandas(), pl.from_arrow(people)):
        assert gather(table) is table
