from __future__ import annotations

import errno

import pyarrow as pa
import pytest

from swapmeet.base import extras
from swapmeet.errors import DatabaseError, OutputError, UsageError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.database.session import WRITING, require_driver, translate_errors
from swapmeet.io.database.sqlite.reading import WRITE, open_session

pytest.importorskip("adbc_driver_sqlite", reason="the extra [db] is not installed")


def test_what_goes_wrong_while_rows_are_made_is_told_as_it_is(tmp_path):
    def make():
        yield pa.record_batch({"c0": [1, 2]})
        raise OutputError("column 'a' cannot be held")

    place = DatabaseTable.parse(f"sqlite:///{tmp_path}/x.db#t")
    with (
        pytest.raises(OutputError, match="column 'a' cannot be held"),
        open_session(place, WRITE, WRITING) as (session, _),
    ):
        session.ingest("aside", pa.schema([("c0", pa.int64())]), make())


adbc = pytest.importorskip("adbc_driver_manager")


def fail(told, state):
    return adbc.IntegrityError(told, status_code=adbc.AdbcStatusCode.INTEGRITY, sqlstate=state)


def test_a_driver_is_not_quoted():
    with pytest.raises(OutputError) as caught, translate_errors("here", OutputError):
        raise fail("Key (id)=(4711) already exists. DETAIL: Failing row contains (Ann)", "23502")
    assert str(caught.value) == (
        "here: a value is missing in a column that must have one. Nothing was written."
    )
    assert caught.value.__suppress_context__


def test_an_unknown_error_has_its_code_only():
    with pytest.raises(DatabaseError) as caught, translate_errors("here"):
        raise fail("a value of Ann", "XX000")
    assert str(caught.value) == "here: the database failed (SQLSTATE XX000)."


def test_a_connection_that_breaks_while_rows_are_read_is_no_matter_of_files():
    with pytest.raises(DatabaseError) as caught, translate_errors("here"):
        raise OSError("[libpq] failed: server closed the connection unexpectedly, row (Ann)")
    assert str(caught.value) == "here: the connection broke, or the server was shut down."


def test_errors_of_the_disk_pass():
    with pytest.raises(OSError, match="No space"), translate_errors("here"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_our_own_errors_pass():
    with pytest.raises(UsageError, match="as it is"), translate_errors("here"):
        raise UsageError("as it is")


def test_a_driver_that_is_not_installed_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r'not installed\. Run: pip install "swapmeet\[db\]"'):
        require_driver("adbc_driver_postgresql")
