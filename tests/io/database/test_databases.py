from __future__ import annotations

import errno

import pytest
from modes import is_private

from swapmeet.errors import FileError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.database import databases as snapshot


def test_a_full_disk_is_named_as_such(tmp_path, monkeypatch):
    def fill_disk(*_):
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] /some/path")

    monkeypatch.setattr(snapshot, "fetch", fill_disk)
    place = DatabaseTable.parse("sqlite:///x.db#t")
    with pytest.raises(FileError, match=r": the disk is full\. Name another folder .* set TMPDIR"):
        snapshot.take_snapshot(place, tmp_path)


def test_the_file_is_private_before_anything_is_in_it(tmp_path, monkeypatch):
    def look(_place, file, _progress):
        assert is_private(file)
        assert file.stat().st_size == 0

    monkeypatch.setattr(snapshot, "fetch", look)
    snapshot.take_snapshot(DatabaseTable.parse("sqlite:///x.db#t"), tmp_path)
