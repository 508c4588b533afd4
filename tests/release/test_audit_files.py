"""The folder that a cluster writes is a record like any other, with a fingerprint or without."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from swapmeet.base.seeds import Seed
from swapmeet.engines.local.pair import TableRows
from swapmeet.release.audit import AuditRecord
from swapmeet.release.audit_files import DONORS, FORMAT, PRINT, ROW, STUCK
from swapmeet.release.fingerprint import Fingerprint
from swapmeet.release.record_check import UNCHECKED, check_record
from swapmeet.tables.frame import Table

SEED = Seed.chosen_by_user(1)
DATA = pa.table({"age": [30, 40, 50, 60], "sex": ["f", "m", "m", None]})
OWNER = np.array([2, 0, 3, 1])
FINGERPRINT = Fingerprint.of(SEED, Table(DATA), DATA.column_names)


@pytest.fixture
def folder(tmp_path):
    """A record of two parts, as Spark writes it: rows in the order of the release."""
    (tmp_path / DONORS).mkdir()
    bits = FINGERPRINT.prints.rows[OWNER].view(np.int64)
    table = pa.table({
        ROW: OWNER, "age": OWNER, STUCK: pa.array([[]] * 4, pa.list_(pa.int32())), PRINT: bits,
    })  # fmt: skip
    for number in (0, 1):
        part = table.slice(2 * number, 2)
        pq.write_table(part, tmp_path / DONORS / f"part-{number}.parquet")
    facts = {
        "format": FORMAT, "seed": SEED.key.hex(), "chosen": True, "columns": ["age", "sex"],
        "masked": ["age"], "owned": True, "precisions": dict(FINGERPRINT.precisions),
    }  # fmt: skip
    (tmp_path / "seed.json").write_text(json.dumps(facts))
    return tmp_path


def test_rows_are_known_by_their_bits(folder):
    record = AuditRecord.load(folder)
    assert np.array_equal(record.fingerprint.prints.rows, FINGERPRINT.prints.rows)
    published = DATA.take(pa.array(OWNER))
    assert check_record(record, TableRows(Table(published))).notes == ()
    audit = check_record(record, TableRows(Table(DATA))).audit
    assert audit.owner.tolist() == [0, 1, 2, 3]


def test_an_older_folder_has_none(folder):
    facts = json.loads((folder / "seed.json").read_text())
    del facts["precisions"]
    (folder / "seed.json").write_text(json.dumps(facts))
    record = AuditRecord.load(folder)
    assert record.fingerprint is None
    assert check_record(record, TableRows(Table(DATA))).notes == (UNCHECKED,)
