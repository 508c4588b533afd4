from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from swapmeet import io

PEOPLE = pl.DataFrame({
    "age": list(range(6)),
    "name": ["a", "b", None] * 2,
    "level": pl.Series(["u", "v"] * 3, dtype=pl.Enum(["u", "v"])),
})  # fmt: skip


@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("level", [pl.CompatLevel.oldest(), pl.CompatLevel.newest()])
def test_files_of_polars_are_read_and_written_with_their_compression(tmp_path, codec, level):
    path, out = tmp_path / "in.arrow", tmp_path / "out.arrow"
    PEOPLE.write_ipc(path, compression=codec, compat_level=level)
    document = io.read(path)
    io.write(out, document.frame, like=document)
    assert document.layout.codec == (None if codec == "uncompressed" else codec)
    assert io.read(out).layout.codec == document.layout.codec
    assert io.read(out).frame.to_pydict() == PEOPLE.to_dict(as_series=False)


def test_streams_of_polars_are_read(tmp_path):
    path = tmp_path / "in.arrow"
    PEOPLE.write_ipc_stream(path)
    assert io.read(path).frame.to_pydict() == PEOPLE.to_dict(as_series=False)


def test_a_file_without_batches_has_no_codec(tmp_path):
    path = tmp_path / "in.arrow"
    schema = pa.schema([("a", pa.int64())])
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, schema):
        pass
    assert io.read(path).layout.codec is None
