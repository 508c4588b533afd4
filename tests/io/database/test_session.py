from __future__ import annotations

import pyarrow as pa
import pytest

from swapmeet.errors import OutputError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.database.driver_errors import WRITING
from swapmeet.io.database.sqlite.catalog import WRITE, open_session

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
