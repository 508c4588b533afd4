from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import swapmeet as sm
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


@pytest.mark.parametrize("method", [sm.RankSwap(window=0.5), sm.RWN(k=3, eps=1e-9, only_eps=True)])
def test_a_release_of_a_file_of_polars_is_such_a_file(tmp_path, masked, method):
    """Arrow can neither take nor choose views, which polars writes."""
    people, path, out = pl.concat([PEOPLE] * 10), tmp_path / "in.arrow", tmp_path / "out.arrow"
    people.write_ipc(path, compat_level=pl.CompatLevel.newest())
    document = io.read(path)
    release = masked(document.frame, method, seed=1, missing={"name": ["b"]})
    release.write(out, like=document)
    assert document.frame.schema.field("name").type == pa.string_view()
    assert io.read(out).frame.schema.types == document.frame.schema.types
    assert sorted(map(str, io.read(out).frame["name"].to_pylist())) == sorted(
        map(str, release.data["name"].to_pylist())
    )
