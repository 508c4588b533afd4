"""Damaged records: each is refused by one message, without reading more than the file can hold."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from swapmeet.errors import FileError
from swapmeet.release.audit import FORMAT, AuditRecord, read_texts
from swapmeet.release.audit_files import FORMAT as FOLDER_FORMAT

FACTS = {"format": FORMAT, "chosen": True, "columns": ["a", "b"], "stuck": {}}


def write(path, facts=FACTS, **changes):
    text = facts if isinstance(facts, str) else json.dumps(facts)
    arrays = {
        "facts": np.array(text),
        "seed": np.zeros(32, np.uint8),
        "donors": np.zeros((3, 2), np.int64),
        "owner": np.arange(3),
        "stuck": np.zeros(0, np.int64),
    }
    with path.open("wb") as file:
        np.savez_compressed(file, **(arrays | changes))
    return path


def claim_rows(path, name, rows):
    """The same archive, in which an array claims to have so many rows."""
    content = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            wrong = data.replace(b"(3,", b"(%d," % rows) if member == f"{name}.npy" else data
            new.writestr(member, wrong)
    return path


def refuse(path):
    with pytest.raises(FileError, match="an audit record is needed; this file is not one"):
        AuditRecord.load(path)
    read_texts(path, "recode")


def test_a_record_as_it_should_be_is_read(tmp_path):
    assert AuditRecord.load(write(tmp_path / "a")).columns == ("a", "b")


@pytest.mark.parametrize("name", ["owner", "donors"])
@pytest.mark.parametrize("rows", [4, 24_000_000_000, 2**62])
def test_an_array_that_claims_more_rows_than_it_has_is_not_read(tmp_path, name, rows):
    refuse(claim_rows(write(tmp_path / "a"), name, rows))


@pytest.mark.parametrize("name", ["owner", "donors", "stuck", "prints"])
def test_zeros_that_unpack_to_more_than_the_rows_need_are_not_read(tmp_path, name):
    path = write(tmp_path / "a", **{name: np.zeros((1_000_000, 2), np.int64)})
    assert path.stat().st_size < 100_000
    refuse(path)


@pytest.mark.parametrize(
    "facts",
    [
        "[" * 100_000, "null", "3", "[]", "{", '{"format": NaN}',
        FACTS | {"stuck": 1.5}, FACTS | {"stuck": []}, FACTS | {"columns": "ab"},
        FACTS | {"columns": [1, 2]}, FACTS | {"columns": {"a": 1, "b": 2}},
        FACTS | {"stuck": {"a": 10**30}}, FACTS | {"stuck": {"a": -1}},
        FACTS | {"stuck": {"a": float("nan")}}, FACTS | {"method": "rwn"},
        FACTS | {"method": {"name": "rwn", "settings": 3}}, FACTS | {"derived": 7},
        FACTS | {"recode": "age: top 80"}, FACTS | {"fingerprint": ["a"]},
    ],
)  # fmt: skip
def test_facts_of_other_types_are_refused(tmp_path, facts):
    prints = {"prints": np.zeros(3, np.uint64)}
    refuse(write(tmp_path / "a", facts, **prints))


@pytest.mark.parametrize("precisions", [[], ["a"], "usual", {"a": "no such word"}, {"a": None}])
def test_a_fingerprint_of_another_type_is_refused(tmp_path, precisions):
    facts = FACTS | {"fingerprint": {"precisions": precisions, "totals": [1, 2, 3]}}
    refuse(write(tmp_path / "a", facts, prints=np.zeros(3, np.uint64)))


@pytest.mark.parametrize("kind", ["f8", "U5", "c16", "?", "M8[s]", "O"])
@pytest.mark.parametrize("name", ["owner", "donors"])
def test_arrays_of_other_types_are_refused(tmp_path, name, kind):
    array = {"owner": np.arange(3), "donors": np.zeros((3, 2), np.int64)}[name]
    refuse(write(tmp_path / "a", **{name: array.astype(kind)}))


@pytest.mark.parametrize("content", ["[" * 100_000, "[]", "null", '{"format": 1}', "{"])
def test_the_folder_of_a_cluster_is_refused_likewise(tmp_path, content):
    (tmp_path / "seed.json").write_text(content)
    with pytest.raises(FileError, match="this folder is not one"):
        AuditRecord.load(tmp_path)


@pytest.mark.parametrize("rows", [[0, 0], [-1, 0], [1, 2], [0.0, 1.0]])
def test_a_folder_whose_rows_are_not_numbered_once_each_is_refused(tmp_path, rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    facts = {"format": FOLDER_FORMAT, "seed": "00" * 32, "chosen": True, "owned": True,
             "columns": ["a"], "masked": ["a"]}  # fmt: skip
    (tmp_path / "seed.json").write_text(json.dumps(facts))
    (tmp_path / "donors").mkdir()
    stuck = pa.array([[], []], pa.list_(pa.int64()))
    table = pa.table({"a": [0, 1], "__swapmeet_row": rows, "__swapmeet_stuck": stuck})
    pq.write_table(table, tmp_path / "donors" / "part-0.parquet")
    with pytest.raises(FileError, match="this folder is not one"):
        AuditRecord.load(tmp_path)
