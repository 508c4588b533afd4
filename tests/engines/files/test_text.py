"""Delimited text that is masked piece by piece: the file that is written in memory, to the byte."""

from __future__ import annotations

import gzip
import warnings

import numpy as np
import pyarrow.parquet as pq
import pytest
from method_examples import BLOCK_EXAMPLES

import swapmeet as sm
from swapmeet import io
from swapmeet.engines.files.needs import Needs
from swapmeet.engines.files.opening import guess_schema
from swapmeet.errors import FileError, TableError, UsageError
from swapmeet.io.delimited import pieces as csv_pieces
from swapmeet.release.audit import AuditRecord
from swapmeet.running.masking import mask_file
from swapmeet.tables.schema import Schema
from swapmeet.testing.examples import Example, add_missing, add_regions, fit_example, make_people

N, BLOCK = 600, 130


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(csv_pieces, "PIECE", 4_000)
    monkeypatch.setattr(Needs, "piece_rows", lambda self, limit: 150)


def as_read(path):
    table = io.read(path).frame
    roles = Schema.guess(table, {}).assign(
        drop=["id"], keep=["weight"], strata=["region"], sensitive=["town"], ordinal=["grade"]
    )
    return Example("people", table, roles)


def masked_in_memory(path, target, method, schema, **options):
    """As the command line does it."""
    document = io.read(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        release = sm.mask(document.frame, method, schema=schema, seed=3, **options)
    donors = dict(zip(release.audit.columns, release.audit.donors.T, strict=True))
    io.write(target, release.data, like=document, donors=donors)
    return release


def masked_in_pieces(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return mask_file(*given, seed=3, keep_order=True, **options)


@pytest.mark.slow_case("matched-swap-0")
@pytest.mark.slow_beyond(6)
@pytest.mark.parametrize("method", BLOCK_EXAMPLES)
def test_the_file_is_that_of_the_table_in_memory(method, tmp_path):
    path, one, two = (tmp_path / name for name in ("a.csv", "one.csv", "two.csv"))
    people = add_regions(add_missing(make_people(N)))
    people.assign(grade=people["grade"].cat.codes).to_csv(path, index=False)
    schema = fit_example(method, as_read(path)).schema
    release = masked_in_memory(path, one, method, schema, engine=sm.Local(block_rows=BLOCK))
    done = masked_in_pieces(path, two, method, schema=schema, block_rows=BLOCK)
    assert two.read_bytes() == one.read_bytes()
    assert done.notes == release.notes
    assert done.changes == release.changes


ODD = 'id;"amount";day;word\r\n' + "".join(
    f'0{i};"{i % 7},50";2020-01-{1 + i % 28:02};{["plain", "NA", "say hi", "x;y"][i % 4]!r}\r\n'
    for i in range(300)
).replace("'", '"')


@pytest.mark.slow_beyond(6)
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.txt"])
@pytest.mark.parametrize("codec", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("method", [sm.SJPPDS(bins=3), sm.Noise()], ids=["swaps", "makes"])
def test_cells_are_written_as_they_stand_in_the_file(name, codec, method, tmp_path):
    text = ODD.replace("plain", "café").encode(codec)
    path, one, two = tmp_path / name, tmp_path / f"one.{name}", tmp_path / f"two.{name}"
    path.write_bytes(gzip.compress(text, mtime=0) if name.endswith(".gz") else text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        schema = Schema.infer(io.read(path).frame).assign(keep=["id", "word"])
        masked_in_memory(path, one, method, schema, engine=sm.Local(block_rows=80))
    masked_in_pieces(path, two, method, schema=schema, block_rows=80)
    assert two.read_bytes() == one.read_bytes()
    assert two.read_bytes() != path.read_bytes()


def test_suppressed_cells_are_empty(tmp_path):
    numbers = np.concatenate([np.random.default_rng(1).normal(size=300), [1e6]])
    path, one, two = (tmp_path / name for name in ("a.csv", "one.csv", "two.csv"))
    path.write_text("x\n" + "\n".join(f"{number:.3f}" for number in numbers) + "\n")
    schema = Schema.infer(io.read(path).frame)
    method = sm.NBRS(eps=0.5)
    masked_in_memory(path, one, method, schema, engine=sm.Local(block_rows=200))
    masked_in_pieces(path, two, method, schema=schema, block_rows=200)
    assert two.read_bytes() == one.read_bytes()
    assert '""' in two.read_text()


@pytest.mark.slow
def test_text_becomes_parquet_and_parquet_text(tmp_path):
    table = sm.datasets.load("fair")
    text, parquet = tmp_path / "a.csv", tmp_path / "a.parquet"
    table.to_csv(text, index=False)
    table.to_parquet(parquet, index=False)
    schema, method = sm.datasets.schema("fair"), sm.RWN(k=5)
    made = {}
    for source in (text, parquet):
        for suffix in ("csv", "parquet", "tsv"):
            target = tmp_path / f"from_{source.suffix[1:]}.{suffix}"
            masked_in_pieces(source, target, method, schema=schema, block_rows=2000)
            made[source.suffix, suffix] = io.read(target).frame
    first = made[".csv", "csv"]
    assert len(first) == len(table)
    assert all(frame.to_pylist() == first.to_pylist() for frame in made.values())
    assert pq.read_table(tmp_path / "from_csv.parquet").schema.names == list(table)


def test_the_audit_record_belongs_to_the_text(tmp_path):
    table = sm.datasets.load("diabetes")
    path, target, secret = (tmp_path / name for name in ("a.csv", "b.csv", "a.npz"))
    table.to_csv(path, index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        mask_file(path, target, sm.RWN(k=5), seed=1, block_rows=100, audit=secret)
    audit, before, after = AuditRecord.load(secret), io.read(path).frame, io.read(target).frame
    for j, name in enumerate(audit.columns):
        donors = audit.donors[audit.owner, j]
        assert after[name].to_pylist() == before[name].take(donors).to_pylist()


def test_kinds_are_guessed_like_those_of_the_whole_text(tmp_path):
    path = tmp_path / "a.csv"
    sm.datasets.load("fair").to_csv(path, index=False)
    assert guess_schema(path).to_dict() == Schema.guess(io.read(path).frame, {}).to_dict()


def test_bad_text_is_refused_and_nothing_is_left(tmp_path):
    out, path = tmp_path / "out", tmp_path / "a.csv"
    out.mkdir()

    def refused(kind, text, **options):
        path.write_text(text)
        with pytest.raises(kind) as caught:
            mask_file(path, out / "o.csv", sm.SJPPDS(), **options)
        assert list(out.iterdir()) == []
        return str(caught.value)

    assert "line 3 has 3 cells, and the first line has 2" in refused(FileError, "a,b\n1,2\n1,2,3\n")
    rows = "1,2\n" * 3000
    assert "line 3002 has 1 cell, and the first line has 2" in refused(
        FileError, "a,b\n" + rows + "1\n"
    )
    assert "is empty" in refused(FileError, "")
    assert "no rows" in refused(TableError, "a,b\n")
    assert "only 1 row" in refused(TableError, "a,b\n1,2\n")
    assert "unknown encoding" in refused(UsageError, "a,b\n1,2\n", encoding="klingon")


def test_what_is_told_of_text_does_not_apply_to_parquet(tmp_path):
    sm.datasets.load("fair").to_parquet(tmp_path / "a.parquet")
    with pytest.raises(UsageError, match="`delimiter` does not apply"):
        mask_file(tmp_path / "a.parquet", tmp_path / "b.parquet", sm.SJPPDS(), delimiter=";")


def test_the_spelling_of_a_cell_does_not_tell_its_donor(tmp_path):
    """The odd spellings stand in different pieces of the file, after plain ones."""
    path = tmp_path / "a.csv"
    lines = [f"{n}.{n % 10},{n % 7},town {n % 3},2020-01-0{1 + n % 9}T10:00" for n in range(N)]
    lines[500:504] = ["5.000,+3,town 1,2020-01-02 10:00:00", " 4,\" 2\",\"town 2\",NA",
                      "1e3,NA, town 1,2020-01-02T10:00:00.00", "-0.0,.,town 1 ,"]  # fmt: skip
    path.write_text("x,n,town,when\n" + "\n".join(lines) + "\n")
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    schema = Schema.guess(io.read(path).frame, {})
    masked_in_memory(path, one, sm.RWN(k=3), schema, engine=sm.Local(block_rows=200))
    masked_in_pieces(path, two, sm.RWN(k=3), schema=schema, block_rows=200)
    assert two.read_bytes() == one.read_bytes()
    found = io.read(two)
    for name, values in found.frame.to_pydict().items():
        tokens = found.layout.cells[name].to_pylist()
        assert len(set(zip(values, tokens, strict=True))) == len(set(values))
