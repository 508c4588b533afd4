from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from swapmeet import io
from swapmeet.errors import FileError, OutputError

TABLE = pa.table(
    {
        "id": pa.array([11, 12, 13]),
        "sex": pa.array(["f", "m", "f"]).dictionary_encode(),
        "x": pa.array([1.5, None, 2.5], pa.float32()),
        "day": pa.array([dt.date(2020, 1, j) for j in (1, 2, 3)]),
        "when": pa.array([dt.datetime(2020, 1, j) for j in (1, 2, 3)], pa.timestamp("ms", "CET")),
        "list": pa.array([[1], [], None]),
        "money": pa.array([1, 2, 3]).cast(pa.decimal128(22, 2)),
    },
    schema=pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("sex", pa.dictionary(pa.int8(), pa.string(), ordered=True)),
            pa.field("x", pa.float32(), metadata={"unit": "kg"}),
            pa.field("day", pa.date32(), nullable=False),
            pa.field("when", pa.timestamp("ms", "CET")),
            pa.field("list", pa.list_(pa.int64())),
            pa.field("money", pa.decimal128(22, 2)),
        ],
        metadata={"study": "health", "links": '{"id": "key"}'},
    ),
)
CODECS = {
    "id": "zstd",
    "sex": "gzip",
    "x": "none",
    "day": "snappy",
    "when": "snappy",
    "list.list.element": "zstd",
    "money": "zstd",
}


def write_arrow(path, table, codec=None, stream=False):
    new = ipc.new_stream if stream else ipc.new_file
    options = ipc.IpcWriteOptions(compression=codec)
    with pa.OSFile(str(path), "wb") as file, new(file, table.schema, options=options) as writer:
        writer.write_table(table)


@pytest.fixture(params=["parquet", "arrow"])
def document(request, tmp_path):
    path = tmp_path / f"in.{request.param}"
    if request.param == "parquet":
        pq.write_table(TABLE, path, compression=CODECS)
    else:
        write_arrow(path, TABLE, "zstd")
    return io.read(path)


def same(document):
    return {name: np.arange(3) for name in document.frame.column_names}


def rewritten(document, frame, donors=None):
    out = document.path.with_name("out" + document.path.suffix)
    io.write(out, frame, like=document, donors=donors)
    return io.read(out)


def test_table_schema_and_settings_survive(document):
    again = rewritten(document, document.frame, same(document))
    assert again.frame.equals(TABLE)
    assert again.frame.schema.equals(document.frame.schema)
    assert again.layout == document.layout
    assert again.format == document.path.suffix[1:]


def test_cells_move_with_their_donors(document):
    donors = same(document) | {"x": np.array([2, 2, -1]), "when": np.array([1, 2, 0])}
    again = rewritten(document, document.frame, donors).frame
    assert again["x"].to_pylist() == [2.5, 2.5, None]
    assert again["when"].to_pylist() == [TABLE["when"][j].as_py() for j in (1, 2, 0)]
    assert again["list"].to_pylist() == [[1], [], None]


def test_a_suppressed_cell_makes_its_field_nullable(document):
    again = rewritten(document, document.frame, same(document) | {"day": np.array([0, -1, 2])})
    assert again.frame.schema.field("day").nullable
    assert not again.frame.schema.field("id").nullable
    assert again.frame["day"].null_count == 1


def test_metadata_that_nobody_asked_for_are_gone(document):
    again = rewritten(document, document.frame.drop_columns(["id"]), {"x": np.array([0, 1, 2])})
    assert not again.frame.schema.metadata
    assert b"unit" not in (again.frame.schema.field("x").metadata or {})
    content = again.path.read_bytes()
    assert not [word for word in (b"health", b"links", b"kg") if word in content]


def test_categories_that_only_suppressed_cells_had_are_gone(document):
    again = rewritten(document, document.frame, same(document) | {"sex": np.array([0, -1, 2])})
    assert again.frame["sex"].to_pylist() == ["f", None, "f"]
    assert again.frame["sex"].chunk(0).dictionary.to_pylist() == ["f"]
    assert again.frame.schema.field("sex").type == TABLE.schema.field("sex").type


def test_categories_that_no_released_row_has_are_gone(tmp_path):
    level = pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), ["low", "mid", "high"])
    write_arrow(tmp_path / "in.arrow", pa.table({"level": level}))
    document = io.read(tmp_path / "in.arrow")
    again = rewritten(document, document.frame, {"level": np.array([1, -1])})
    assert again.frame["level"].chunk(0).dictionary.to_pylist() == ["high"]


def test_values_of_a_frame_take_the_old_type_when_they_fit(document):
    frame = document.frame.set_column(2, "x", pa.array([1.0, 2.0, 3.0]))
    assert rewritten(document, frame).frame.schema.field("x").type == pa.float32()


def test_values_of_a_frame_keep_their_type_when_they_do_not_fit(document):
    frame = document.frame.set_column(0, "id", pa.array([0.5, 1.5, 2.5]))
    assert rewritten(document, frame).frame["id"].to_pylist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize("codec", [None, "lz4", "zstd"])
@pytest.mark.parametrize("stream", [True, False])
def test_arrow_files_and_streams_keep_their_codec(tmp_path, codec, stream):
    write_arrow(tmp_path / "in.arrow", TABLE, codec, stream)
    document = io.read(tmp_path / "in.arrow")
    assert (document.layout.codec, document.layout.is_stream) == (codec, stream)
    again = rewritten(document, document.frame, same(document))
    assert again.layout == document.layout
    assert again.frame.equals(TABLE)


def test_pandas_notes_forget_dropped_columns_index_and_attributes(tmp_path):
    frame = pd.DataFrame({"secret": [1, 2], "n": pd.array([1, None], dtype="Int8")})
    frame.attrs["hint"] = "CANARY"
    frame = frame.set_index("secret", drop=False).rename_axis("idx")
    frame.to_parquet(tmp_path / "in.parquet")
    document = io.read(tmp_path / "in.parquet")
    again = rewritten(document, document.frame.select(["n"]), {"n": np.array([1, 0])})
    notes = json.loads(again.frame.schema.metadata[b"pandas"])
    assert [each["name"] for each in notes["columns"]] == ["n"]
    assert notes["index_columns"] == []
    assert not {b"secret", b"idx", b"CANARY"} & set(again.path.read_bytes().split(b'"'))
    assert b"CANARY" not in again.path.read_bytes()
    assert str(pd.read_parquet(again.path)["n"].dtype) == "Int8"


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_frame_can_be_written(tmp_path, suffix, make):
    path = tmp_path / f"out.{suffix}"
    io.write(path, make({"a": [1, 2], "b": ["x", None]}))
    frame = io.read(path).frame
    assert frame.to_pydict() == {"a": [1, 2], "b": ["x", None]}
    assert not frame.schema.metadata


def test_the_schema_survives_between_parquet_and_arrow(document):
    other = ".arrow" if document.format == "parquet" else ".parquet"
    out = document.path.with_name("out" + other)
    io.write(out, document.frame.drop_columns(["id"]), like=document)
    schema = io.read(out).frame.schema
    assert schema.field("when").type == TABLE.schema.field("when").type
    assert not schema.field("day").nullable


def test_csv_becomes_parquet_with_types(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\n1,2020-01-01\n,NA\n")
    document = io.read(tmp_path / "in.csv")
    io.write(
        tmp_path / "out.parquet", document.frame, like=document, donors={"a": np.array([0, 1])}
    )
    assert io.read(tmp_path / "out.parquet").frame.equals(document.frame)


def test_no_rows_are_a_table(document):
    again = rewritten(document, document.frame.slice(0, 0))
    assert again.frame.shape == (0, 7)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_broken_files_are_refused_without_their_content(document, tmp_path, suffix):
    whole = document.path.read_bytes()
    for raw in (b"CANARY,1\n" * 9, whole[: len(whole) // 2], whole[:-9], whole[:7]):
        path = tmp_path / f"bad.{suffix}"
        path.write_bytes(raw)
        with pytest.raises(FileError, match=r"is not a readable .* file, or it is cut") as caught:
            io.read(path)
        assert "CANARY" not in str(caught.value)


def test_duplicated_names_are_refused(tmp_path):
    write_arrow(tmp_path / "in.arrow", pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(FileError, match="'a' appears more than once"):
        io.read(tmp_path / "in.arrow")


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_full_disk_leaves_nothing(small_disk, suffix):
    noise = np.random.default_rng(0).random(50_000)
    with pytest.raises(OutputError, match="the disk is full"):
        io.write(small_disk / f"out.{suffix}", pa.table({"a": noise}))
    assert list(small_disk.iterdir()) == []
