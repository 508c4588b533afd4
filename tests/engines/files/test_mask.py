"""Every method, on a file that is masked piece by piece."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from method_examples import BLOCK_EXAMPLES, EVERYDAY_EXAMPLES
from modes import is_private

import swapmeet as sm
from swapmeet.engines.files.needs import Needs
from swapmeet.engines.files.opening import guess_schema
from swapmeet.engines.local.pair import TableRows
from swapmeet.errors import (
    FileError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
    UsageError,
)
from swapmeet.release.audit import AuditRecord
from swapmeet.release.record_check import check_record
from swapmeet.running.masking import mask_file
from swapmeet.tables.frame import Table
from swapmeet.testing.examples import (
    add_missing,
    add_regions,
    fit_example,
    make_example,
    make_people,
)

N, BLOCK = 900, 130
PEOPLE = make_example("people", add_regions(add_missing(make_people(N))), strata=["region"])


@pytest.fixture
def small_pieces(monkeypatch):
    """Read so few rows at once that a block comes in many pieces."""

    def of(rows):
        monkeypatch.setattr(Needs, "piece_rows", lambda self, limit: rows)

    return of


def quietly(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        return mask_file(*given, **options)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def numbers(n=5000, p=3):
    values = np.random.default_rng(1).normal(size=(n, p))
    return pa.table({f"x{j}": values[:, j] for j in range(p)})


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    pq.write_table(numbers(), folder / "people.parquet", row_group_size=700)
    return folder / "people.parquet"


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


# the same release as in memory


CASES = [pytest.param(97, *e.values, id=f"97-{e.id}", marks=e.marks) for e in BLOCK_EXAMPLES]
CASES += [
    pytest.param(10_000, *example.values, id=f"10000-{example.id}", marks=pytest.mark.slow)
    for example in BLOCK_EXAMPLES
    if example in EVERYDAY_EXAMPLES
]


@pytest.mark.slow_case("97-matched-swap-0")
@pytest.mark.parametrize(("groups", "method"), CASES)
def test_the_release_is_that_of_the_table_in_memory(groups, method, masked, small_pieces, tmp_path):
    found = fit_example(method, PEOPLE)
    path, target, secret = (tmp_path / name for name in ("a.parquet", "b.parquet", "audit.npz"))
    pq.write_table(pa.Table.from_pandas(found.data), path, row_group_size=groups)
    small_pieces(61 if groups > 97 else 1000)
    table = pq.read_table(path)
    engine = sm.Local(block_rows=BLOCK)
    release = masked(table, method, schema=found.schema, seed=3, engine=engine)
    done = quietly(path, target, method, schema=found.schema, seed=3, block_rows=BLOCK,
                   keep_order=True, audit=secret)  # fmt: skip
    assert pq.read_table(target).to_pylist() == release.data.to_pylist()
    assert pq.read_schema(target).types == release.data.schema.types
    assert done.notes == release.notes
    assert done.changes == release.changes
    audit = AuditRecord.load(secret)
    assert np.array_equal(audit.donors, release.audit.donors)
    assert audit.owned == release.audit.owned
    assert {k: v.tolist() for k, v in audit.stuck.items()} == {
        k: v.tolist() for k, v in release.audit.stuck.items()
    }
    one, other = audit.fingerprint.prints, release.audit.fingerprint.prints
    assert np.array_equal(one.rows, other.rows)
    assert np.array_equal(one.totals, other.totals)


def test_a_small_file_is_one_block(masked, source, out):
    release = masked(numbers(), sm.RWN(k=5), seed=3)
    done = quietly(source, out / "o.parquet", sm.RWN(k=5), seed=3, keep_order=True)
    assert pq.read_table(out / "o.parquet").equals(release.data)
    assert done.notes == release.notes


def test_pieces_and_threads_do_not_matter(source, out, small_pieces):
    tables = []
    for rows, threads in ((333, 1), (5000, 2)):
        small_pieces(rows)
        quietly(source, out / "o.parquet", sm.SJPPDS(bins=9), seed=1, block_rows=700,
                threads=threads, overwrite=True)  # fmt: skip
        tables.append(pq.read_table(out / "o.parquet"))
    assert tables[0].equals(tables[1])


def test_random_order_has_the_same_rows_and_does_not_show_the_blocks(masked, out, tmp_path):
    table = numbers(20_000).append_column("row", pa.array(np.arange(20_000)))
    schema = sm.Schema.infer(table).assign(keep=["row"])
    pq.write_table(table, tmp_path / "a.parquet")
    engine = sm.Local(block_rows=1000)
    release = masked(table, sm.SJPPDS(bins=9), schema=schema, seed=1, engine=engine)
    secret = out / "audit.npz"
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS(bins=9), schema=schema, seed=1,
            block_rows=1000, audit=secret)  # fmt: skip
    written = pq.read_table(out / "o.parquet")
    rows = written["row"].to_numpy()
    assert written.equals(release.data.take(rows))
    assert np.array_equal(np.sort(rows), np.arange(20_000))
    record = AuditRecord.load(secret)
    assert np.array_equal(record.owner, rows)
    assert check_record(record, TableRows(Table(written))).notes == ()
    assert abs(np.corrcoef(rows[:-1], rows[1:])[0, 1]) < 0.03
    assert abs(np.corrcoef(rows, np.arange(20_000))[0, 1]) < 0.03
    donors = release.audit.donors[:, 0]
    apart = np.abs(np.argsort(rows)[donors] - np.argsort(rows))[donors != np.arange(20_000)]
    assert apart.mean() == pytest.approx(20_000 / 3, rel=0.05)


def test_moments_keep_the_grain_of_the_whole_file(masked, out, tmp_path, small_pieces):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(600) % 97, "D")
    moments = days.to_series().reset_index(drop=True)
    moments[0] += pd.Timedelta("7min")
    table = pa.table({"t": pa.array(moments), "x": np.arange(600.0)})
    pq.write_table(table, tmp_path / "a.parquet")
    small_pieces(50)
    release = masked(table, sm.Noise(level=0.3), seed=1, engine=sm.Local(block_rows=100))
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.Noise(level=0.3), seed=1, block_rows=100,
            keep_order=True)  # fmt: skip
    assert pq.read_table(out / "o.parquet").to_pylist() == release.data.to_pylist()


def test_two_strata_columns_are_numbered_as_in_memory(masked, out, tmp_path, small_pieces):
    rng = np.random.default_rng(5)
    table = numbers(3000).append_column("a", pa.array(rng.choice(["z", "b", None, "m"], 3000)))
    table = table.append_column("b", pa.array(rng.integers(0, 3, 3000)))
    schema = sm.Schema.infer(table).assign(strata=["a", "b"])
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=411)
    small_pieces(100)
    engine = sm.Local(block_rows=500)
    release = masked(table, sm.RWN(k=4), schema=schema, seed=1, engine=engine)
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.RWN(k=4), schema=schema, seed=1,
            block_rows=500, keep_order=True)  # fmt: skip
    assert pq.read_table(out / "o.parquet").equals(release.data)


def test_categories_that_no_released_row_has_are_gone(out, tmp_path):
    grades = [*(["a"] * 300), *(["b"] * 299), "alone"]
    x = np.append(np.random.default_rng(1).normal(size=599), 1e6)
    words = pd.Categorical(grades, categories=["never", "a", "b", "alone"], ordered=True)
    table = pa.Table.from_pandas(pd.DataFrame({"g": words, "x": x}))
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.NBRS(eps=0.2), seed=1)
    released = pq.read_table(out / "o.parquet")["g"].combine_chunks()
    assert released.null_count >= 1
    assert released.dictionary.to_pylist() == ["a", "b"]
    assert b"alone" not in (out / "o.parquet").read_bytes()
    quietly(tmp_path / "a.parquet", out / "p.parquet", sm.SJPPDS(), seed=1)
    assert "alone" in pq.read_table(out / "p.parquet")["g"].to_pylist()


def odd(n=400):
    rng = np.random.default_rng(3)
    x = rng.normal(size=n)
    frame = {
        "a.b": pa.array(x),
        "nothing": pa.nulls(n),
        "flag": pa.array(x > 0.3),
        "money": pa.array(np.round(x, 2)).cast(pa.decimal128(9, 2)),
        "hour": pa.array(rng.integers(0, 86_400, n).astype(np.int32)).cast(pa.time32("s")),
        "zoned": pa.array(rng.integers(0, 10**6, n)).cast(pa.timestamp("s", "UTC")),
        "zero": pa.array(np.where(rng.random(n) < 0.5, 0.0, np.where(x > 0, -0.0, np.nan))),
        "list": pa.array([[i, i + 1] for i in range(n)]),
        "bytes": pa.array([bytes([i % 256]) for i in range(n)]),
        "word": pa.array([f"w{i % 5}" for i in range(n)]).dictionary_encode(),
    }
    return pa.table(frame)


@pytest.mark.parametrize(
    ("method", "nominal"),
    [(sm.RWN(k=5), ["flag", "zero", "word"]), (sm.Noise(), ["zero", "word"]), (sm.Cart(), [])],
)
def test_odd_types_come_out_as_from_memory(method, nominal, masked, out, tmp_path, small_pieces):
    pq.write_table(odd(), tmp_path / "a.parquet", row_group_size=90)
    table = pq.read_table(tmp_path / "a.parquet")
    numeric = ["a.b", "flag", "money", "hour", "zoned", "zero"]
    schema = sm.Schema.guess(table, {}).assign(
        keep=["list", "bytes"], nominal=["nothing", *nominal],
        numeric=[name for name in numeric if name not in nominal],
    )  # fmt: skip
    if isinstance(method, sm.Noise):
        schema = schema.assign(keep=["nothing", "zero", "word"])
    small_pieces(33)
    engine = sm.Local(block_rows=90)
    release = masked(table, method, schema=schema, seed=1, engine=engine)
    done = quietly(tmp_path / "a.parquet", out / "o.parquet", method, schema=schema, seed=1,
                   block_rows=90, keep_order=True)  # fmt: skip
    assert repr(pq.read_table(out / "o.parquet").to_pylist()) == repr(release.data.to_pylist())
    assert pq.read_schema(out / "o.parquet").types == table.schema.types
    assert done.notes == release.notes


def test_nested_values_cannot_be_masked(out, tmp_path):
    pq.write_table(odd(), tmp_path / "a.parquet")
    schema = sm.Schema.guess(odd(), {}).assign(drop=["bytes"])
    message = refused(
        TableError, tmp_path / "a.parquet", out / "o.parquet", sm.RWN(k=5), schema=schema
    )
    assert "column 'list' holds nested or binary values" in message


def test_text_beyond_what_an_array_holds_is_refused(source, out, monkeypatch, tmp_path):
    monkeypatch.setattr("swapmeet.tables.arrow.LONGEST", 500)
    table = numbers(300).append_column("t", pa.array([f"text-{i % 9}" for i in range(300)]))
    pq.write_table(table, tmp_path / "a.parquet")
    message = refused(TableError, tmp_path / "a.parquet", out / "o.parquet", sm.RWN(k=5))
    assert message.startswith("column 't' holds more than 2 GB in a block of 300 rows")
    assert files_in(out) == []


def test_dropped_columns_leave_no_word_and_the_format_stays(out, tmp_path):
    table = numbers(500).append_column("person", pa.array([f"secret-{i}" for i in range(500)]))
    table = table.replace_schema_metadata({b"about": b"person and x0", b"made by": b"an office"})
    pq.write_table(table, tmp_path / "a.parquet", compression="gzip")
    schema = sm.Schema.guess(table, {}).assign(drop=["person"])
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS(), schema=schema, block_rows=100)
    with pq.ParquetFile(out / "o.parquet") as file:
        assert file.schema_arrow.names == ["x0", "x1", "x2"]
        assert file.schema_arrow.metadata is None
        assert file.metadata.row_group(0).column(0).compression == "GZIP"
    content = (out / "o.parquet").read_bytes()
    assert b"person" not in content
    assert b"an office" not in content


# kinds


def test_kinds_are_those_of_the_whole_file_not_of_its_head(tmp_path):
    n = 70_000
    late = np.zeros(n, np.int64)
    late[-20:] = np.arange(20)
    few = np.arange(n) % 4
    table = pa.table({"late": late, "few": few, "x": np.arange(n) / 7, "t": ["a", "b"] * (n // 2)})
    pq.write_table(table, tmp_path / "a.parquet")
    guessed = guess_schema(tmp_path / "a.parquet")
    assert [c.kind for c in guessed] == [c.kind for c in sm.Schema.guess(table, {})]
    assert guessed["late"].kind == "numeric"
    assert guessed["few"].kind == "nominal"


# what is refused


def refused(error, *given, **options):
    with pytest.raises(error) as caught:
        quietly(*given, **options)
    return str(caught.value)


def test_other_formats_are_refused_with_the_remedy(source, out, tmp_path):
    message = refused(UsageError, tmp_path / "a.sav", out / "o.parquet", sm.SJPPDS())
    assert "SPSS files cannot be masked piece by piece; only delimited text and Parquet" in message
    assert "or mask the table in memory" in message
    assert "only delimited text and Parquet" in refused(
        UsageError, source, out / "o.xlsx", sm.SJPPDS()
    )
    assert files_in(out) == []


def test_unreadable_files_are_refused(source, out, tmp_path):
    assert "no such file" in refused(FileError, tmp_path / "n.parquet", out / "o.parquet", sm.RWN())
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(source.read_bytes()[:-200])
    message = refused(FileError, broken, out / "o.parquet", sm.RWN())
    assert "is not a readable Parquet file, or it is cut off" in message
    content = bytearray(source.read_bytes())
    content[2000:40_000] = bytes(38_000)
    broken.write_bytes(bytes(content))
    assert "not a readable Parquet" in refused(FileError, broken, out / "o.parquet", sm.RWN())
    assert files_in(out) == []


def test_a_file_without_rows_or_with_one_is_refused(out, tmp_path):
    for rows, words in ((0, "no rows"), (1, "only 1 row")):
        pq.write_table(numbers().slice(0, rows), tmp_path / "a.parquet")
        message = refused(TableError, tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS())
        assert words in message


def test_existing_files_and_the_source_are_not_overwritten(source, out):
    (out / "o.parquet").write_bytes(b"mine")
    assert "exists already" in refused(UsageError, source, out / "o.parquet", sm.SJPPDS())
    assert (out / "o.parquet").read_bytes() == b"mine"
    assert "different files" in refused(UsageError, source, source, sm.SJPPDS(), overwrite=True)


@pytest.mark.parametrize("memory", ["much", "-1GB", "0MB", "4XB", "", True])
def test_a_memory_that_is_no_size_is_refused(memory, source, out):
    message = refused(ParameterError, source, out / "o.parquet", sm.SJPPDS(), memory=memory)
    assert message == "`memory` must be a size such as 4GB or 500MB."


def test_blocks_that_do_not_fit_are_refused_with_those_that_do():
    needs = Needs(rows=10**8, stored=88, worked=752, columns=7)
    with pytest.raises(UsageError) as caught:
        needs.require_memory(10**7, 4 * 10**9, audited=False)
    message = str(caught.value)
    assert message.startswith("a block of 10000000 rows needs about 8 GB of memory")
    fitting = int(message.split("at most ")[1].split(" rows")[0])
    assert 10**6 < fitting < 10**7
    needs.require_memory(fitting, 4 * 10**9, audited=False)
    with pytest.raises(UsageError, match="the audit record of 100,000,000 rows"):
        needs.require_memory(10**6, 4 * 10**9, audited=True)
    with pytest.raises(UsageError, match="not enough even"):
        needs.require_memory(10**6, 10**8, audited=False)


def test_guests_need_memory_and_disk_too(tmp_path, monkeypatch):
    needs = Needs(rows=10**8, stored=88, worked=752, columns=7)
    needs.require_memory(3 * 10**6, 4 * 10**9, audited=False)
    with pytest.raises(UsageError, match="about 5 GB of memory with its guests, and 4 GB"):
        needs.require_memory(3 * 10**6, 4 * 10**9, audited=False, guests=2.0)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Disk", (), {"free": 2 * 10**10})())
    (tmp_path / "a.parquet").write_bytes(b"")
    needs.require_disk(tmp_path / "a.parquet", tmp_path / "b.parquet")
    with pytest.raises(OutputError, match="of free disk"):
        needs.require_disk(tmp_path / "a.parquet", tmp_path / "b.parquet", guests=2.0)


@pytest.mark.slow
def test_cells_are_the_same_from_a_file_with_categories_and_strata(
    masked, out, tmp_path, small_pieces
):
    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "x": rng.normal(size=2000),
            "note": [f"n{i % 50}" for i in range(2000)],
            "town": pa.array(rng.choice(["a", "b", "c"], 2000)).dictionary_encode(),
            "y": rng.lognormal(size=2000),
            "region": pa.array(rng.choice(["n", "s"], 2000, p=[0.9, 0.1])).dictionary_encode(),
        }
    )
    schema = sm.Schema.infer(table).assign(key=["x", "y", "town"], keep=["note"], strata=["region"])
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=300)
    small_pieces(170)
    for method in (sm.RWN(k=5, weights=0.1), sm.NBRS(eps=0.3)):
        engine = sm.Local(block_rows=250)
        release = masked(table, method, schema=schema, seed=1, engine=engine)
        done = quietly(tmp_path / "a.parquet", out / f"{method.name}.parquet", method,
                       schema=schema, seed=1, block_rows=250, keep_order=True)  # fmt: skip
        written = pq.read_table(out / f"{method.name}.parquet")
        assert written.to_pylist() == release.data.to_pylist()
        assert done.notes == release.notes
        assert any("neighbours are exact for" in note for note in done.notes)


def test_a_disk_without_room_is_refused_before_any_work(source, out, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Disk", (), {"free": 1000})())
    message = refused(OutputError, source, out / "o.parquet", sm.SJPPDS())
    assert "of free disk" in message
    assert "Free some, or write to another disk" in message


@pytest.mark.parametrize("stage", ["scanning", "dealing", "blocks", "writing"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_nothing_is_left_behind_whenever_it_ends(stage, error, source, out):
    def stop(label, done, total):
        if label == stage:
            raise error

    with pytest.raises((KeyboardInterrupt, OutputError, OSError)):
        quietly(source, out / "o.parquet", sm.SJPPDS(), block_rows=1000, audit=out / "a.npz",
                progress=stop)  # fmt: skip
    assert files_in(out) == []


def test_a_full_disk_is_called_so(source, out):
    def full(label, done, total):
        if label == "blocks":
            raise OSError(28, "No space left on device")

    message = refused(OutputError, source, out / "o.parquet", sm.SJPPDS(), progress=full)
    assert "the disk is full. No file was written" in message


def test_what_a_method_cannot_mask_is_refused_before_any_work(source, out):
    told = []
    schema = sm.Schema.guess(numbers(), {}).assign(nominal=["x1"])
    message = refused(SchemaError, source, out / "o.parquet", sm.DataShuffle(), schema=schema,
                      block_rows=100, progress=lambda *news: told.append(news))  # fmt: skip
    assert message.startswith("data-shuffle cannot mask 'x1', a nominal column")
    assert told == []


def test_a_block_that_is_too_small_is_told_with_its_remedy(source, out):
    message = refused(TableError, source, out / "o.parquet", sm.RWN(k=300), block_rows=100)
    assert message.startswith("in a block of ")
    assert files_in(out) == []


def test_what_is_put_aside_is_private(source, out):
    seen = []

    def look(label, done, total):
        seen.extend(is_private(path) for path in out.iterdir() if path.is_dir())

    quietly(source, out / "o.parquet", sm.SJPPDS(), block_rows=1000, progress=look)
    assert set(seen) == {True}
    assert files_in(out) == ["o.parquet"]


def test_more_levels_than_fit_are_refused(out, tmp_path, monkeypatch):
    table = pa.table({"t": [f"level-{i:09d}" for i in range(3000)], "x": np.arange(3000.0)})
    pq.write_table(table, tmp_path / "a.parquet")
    monkeypatch.setattr(Needs, "require_memory", lambda *_, **__: None)
    message = refused(TableError, tmp_path / "a.parquet", out / "o.parquet", sm.RWN(k=5),
                      memory="400KB", block_rows=10**6)  # fmt: skip
    assert "column 't' has more distinct values than the memory holds" in message
    assert "level-" not in message


# what a file tells besides its values


def test_the_order_of_categories_does_not_tell_the_order_of_the_rows(out, tmp_path):
    towns = [f"town-{i:03d}" for i in np.random.default_rng(3).permutation(400)]
    table = numbers(400).append_column("town", pa.array(towns).dictionary_encode())
    assert table["town"].chunk(0).dictionary.to_pylist() == towns
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=90)
    schema = sm.Schema.guess(table, {}).assign(keep=["town"])
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS(), schema=schema, block_rows=100)
    for chunk in pq.read_table(out / "o.parquet", read_dictionary=["town"])["town"].chunks:
        found = chunk.dictionary.to_pylist()
        assert found == sorted(towns)


def test_notes_name_the_kinds_of_what_was_left_out(out, tmp_path):
    table = numbers(300).replace_schema_metadata({"study": "CANARY"})
    field = table.schema.field("x0").with_metadata({"label": "CANARY"})
    table = table.set_column(0, field, table["x0"])
    pq.write_table(table, tmp_path / "a.parquet")
    release = quietly(tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS())
    assert "left out of the release: metadata of the table; metadata of columns." in release.notes
    assert b"CANARY" not in (out / "o.parquet").read_bytes()


def test_zeros_and_missing_numbers_come_in_one_form_in_all_parts(out, tmp_path):
    x = np.random.default_rng(1).normal(size=400)
    x[:40], x[40:80] = -0.0, np.nan
    column = pa.array(x, mask=np.arange(400) >= 360)
    pq.write_table(numbers(400).append_column("x", column), tmp_path / "a.parquet")
    schema = sm.Schema.guess(pq.read_table(tmp_path / "a.parquet"), {}).assign(keep=["x"])
    quietly(tmp_path / "a.parquet", out / "o.parquet", sm.SJPPDS(), schema=schema, block_rows=50)
    released = pq.read_table(out / "o.parquet")["x"]
    assert released.null_count == 80
    known = released.drop_null().to_numpy()
    assert not np.isnan(known).any()
    assert not np.signbit(known[known == 0]).any()


def test_block_rows_follow_from_the_memory_and_a_note_tells_them(source, out, monkeypatch):
    monkeypatch.setattr("swapmeet.engines.files.needs.PER_CELL", 50_000.0)
    method, wide = sm.SJPPDS(bins=3), "blocks have about"
    roomy = quietly(source, out / "roomy.parquet", method, seed=1)
    assert not [note for note in roomy.notes if note.startswith(wide)]
    tight = quietly(source, out / "tight.parquet", method, seed=1, memory="800MB")
    (note,) = [note for note in tight.notes if note.startswith(wide)]
    rows = int(note.split("block_rows = ")[1].split()[0])
    assert 1_000 <= rows < 5_000
    given = quietly(source, out / "given.parquet", method, seed=1, block_rows=rows)
    assert not [note for note in given.notes if note.startswith(wide)]
    one, other = (pq.read_table(out / name) for name in ("tight.parquet", "given.parquet"))
    assert one.equals(other)
