from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from swapmeet.io import parquet as source
from swapmeet.io.parquet import ParquetSource, RowWidths, join_batches


def repeat_text(length, rows):
    """A column of text that a file stores once."""
    places = pa.array(np.arange(rows, dtype=np.int32) % 2)
    return pa.DictionaryArray.from_arrays(places, pa.array(["a" * length, "b" * length]))


def width_of(path, names):
    with pq.ParquetFile(path) as file:
        return RowWidths(path).of_group(file, 0, frozenset(names))


def test_a_text_that_is_stored_once_counts_in_every_row(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"n": np.arange(1000), "t": repeat_text(100_000, 1000)})
    pq.write_table(table, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 20_000
    assert width_of(path, ["n"]) == 8
    assert 100_000 <= width_of(path, ["n", "t"]) < 110_000


def test_names_with_points_and_nested_columns_are_told_apart(tmp_path):
    path = tmp_path / "a.parquet"
    pairs = pa.array([[1.0] * 10] * 100)
    pq.write_table(pa.table({"a.b": np.arange(100), "a": pairs, "c": [{"d": 1}] * 100}), path)
    assert width_of(path, ["a.b"]) == 8
    assert width_of(path, ["a"]) == 80
    assert width_of(path, ["c"]) == 8


def test_pieces_are_cut_by_bytes_and_have_all_rows(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    table = pa.table({"n": np.arange(1000), "t": repeat_text(1000, 1000).cast(pa.string())})
    pq.write_table(table, path, row_group_size=300)
    monkeypatch.setattr(source, "PIECE_BYTES", 50_000)
    opened = ParquetSource.open(path)
    pieces = list(opened.pieces(["n", "t"], 700))
    assert max(piece.nbytes for _, piece in pieces) <= 50_000
    assert pa.concat_tables(piece for _, piece in pieces).equals(table)
    assert [begin for begin, _ in pieces] == [0, *np.cumsum([len(p) for _, p in pieces])[:-1]]
    assert len(opened.head) < 100


@pytest.mark.parametrize("rows", [1, 7, 100, 1000])
def test_batches_of_small_groups_are_joined(rows):
    tables = [pa.table({"n": np.arange(start, start + 30)}) for start in range(0, 300, 30)]
    joined = list(join_batches(tables, rows, 1 << 20))
    assert pa.concat_tables(joined).equals(pa.concat_tables(tables))
    assert {len(each) for each in joined[:-1]} <= {rows}
    assert all(each["n"].num_chunks == 1 for each in joined)
