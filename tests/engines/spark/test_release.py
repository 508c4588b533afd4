"""Release and audit record appear together, from one pass over the rows."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from modes import is_private

import swapmeet as sm
from swapmeet.errors import FileError, OutputError, TableError, UsageError
from swapmeet.release.audit import AuditRecord

BLOCK = 130


def parts_of(folder):
    return pa.concat_tables([pq.read_table(part) for part in sorted(folder.glob("*.parquet"))])


def written(release, *places, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return release.write(*places, **options)


@pytest.fixture(scope="module")
def pair(spark, people, both):
    """By Spark and by Local; some rows find no partner."""
    one, other = both(spark.createDataFrame(people.data).repartition(3), sm.SJPPDS(bins=40))
    assert any(len(rows) for rows in other.audit.stuck.values())
    return one, other


@pytest.fixture(scope="module")
def folder(pair, check_written, tmp_path_factory):
    """A folder with release and audit record, which are those of Local."""
    place = tmp_path_factory.mktemp("written")
    check_written(*pair, place)
    return place


def test_the_order_of_the_release_tells_nothing(folder):
    owner = AuditRecord.load(folder / "record").owner
    assert 0.4 < (np.diff(owner) > 0).mean() < 0.6


def test_only_the_owner_may_enter_the_record(folder):
    record = folder / "record"
    assert is_private(record)
    assert is_private(record / "seed.json")
    assert sorted(path.name for path in folder.iterdir()) == ["record", "release"]


@pytest.mark.slow
def test_writing_twice_gives_the_same(folder, pair, tmp_path):
    written(pair[0], tmp_path / "release")
    one, other = parts_of(folder / "release"), parts_of(tmp_path / "release")
    assert repr(one.to_pydict()) == repr(other.to_pydict())


def test_a_place_that_is_taken_is_refused(folder, pair):
    place = folder
    with pytest.raises(UsageError, match="exists already"):
        pair[0].write(place / "release")
    with pytest.raises(UsageError, match="exists already"):
        pair[0].write(place / "other", audit=place / "record")
    assert sorted(p.name for p in place.iterdir()) == ["record", "release"]


@pytest.mark.slow
def test_a_release_is_overwritten_when_asked(pair, tmp_path):
    written(pair[0], tmp_path / "release")
    before = {part.name for part in (tmp_path / "release").glob("*.parquet")}
    written(pair[0], tmp_path / "release", overwrite=True)
    assert before.isdisjoint(part.name for part in (tmp_path / "release").glob("*.parquet"))
    assert [p.name for p in tmp_path.iterdir()] == ["release"]


@pytest.mark.slow
def test_a_block_that_fails_leaves_nothing_and_speaks_plainly(spark, people, masked, tmp_path):
    schema = people.schema.assign(keep=["town", "member"])
    engine = sm.Spark(block_rows=60, row_id="row")
    frame = spark.createDataFrame(people.data)
    release = masked(frame, sm.Microaggregation(k=70), schema=schema, engine=engine)
    with pytest.raises(TableError, match=r"^in a block of \d+ rows.*Or raise `block_rows`") as told:
        release.write(tmp_path / "release", audit=tmp_path / "record")
    assert "Traceback" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_parts_that_went_elsewhere_are_missed(tmp_path):
    from swapmeet.engines.spark.release import _require_all

    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "part.parquet")
    _require_all(tmp_path, 2, tmp_path)
    with pytest.raises(OutputError, match="1 of 3 rows did not arrive"):
        _require_all(tmp_path, 3, tmp_path)


def test_a_folder_that_is_no_record_is_refused(tmp_path):
    with pytest.raises(FileError, match="an audit record is needed"):
        AuditRecord.load(tmp_path)
    (tmp_path / "seed.json").write_text('{"format": "another"}')
    with pytest.raises(FileError, match="an audit record is needed"):
        AuditRecord.load(tmp_path)


def test_comments_and_odd_zeros_are_not_published(spark, tmp_path):
    from pyspark.sql.types import DoubleType, StructField, StructType

    inner = StructType([StructField("a", DoubleType(), True, {"comment": "CANARY"})])
    fields = [
        StructField(
            "x", DoubleType(), True, {"comment": "CANARY", "ml_attr": {"vals": ["CANARY"]}}
        ),
        StructField("y", DoubleType(), True),
        StructField("nested", inner, True, {"comment": "CANARY"}),
    ]
    rng = np.random.default_rng(1)
    rows = [
        (-0.0 if i % 2 else float(i), float(v), (1.0,)) for i, v in enumerate(rng.normal(size=60))
    ]
    frame = spark.createDataFrame(rows, StructType(fields))
    schema = sm.Schema.from_dict({
        "x": {"kind": "numeric"}, "y": {"kind": "numeric"},
        "nested": {"kind": "nominal", "role": "keep"},
    })  # fmt: skip
    release = sm.mask(frame, sm.SJPPDS(bins=2), schema=schema, seed=1)
    written(release, tmp_path / "o")
    assert any("left out of the release: metadata of columns." in note for note in release.notes)
    for part in (tmp_path / "o").glob("*.parquet"):
        assert b"CANARY" not in part.read_bytes()
    x = parts_of(tmp_path / "o")["x"].to_numpy()
    assert not np.signbit(x[x == 0]).any()
    assert "CANARY" not in release.data.schema.json()
