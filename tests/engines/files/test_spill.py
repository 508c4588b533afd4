from __future__ import annotations

import errno

import pytest
from modes import is_private

from swapmeet.base.disk import FULL
from swapmeet.engines.files.spill import private_folder
from swapmeet.errors import OutputError


def fail(target, number):
    with private_folder(target) as folder:
        (folder / "spool").write_text("half")
        raise OSError(number, "Error writing bytes to file. Detail: [errno 28] some words")


@pytest.mark.parametrize("number", list(FULL))
def test_no_room_for_temporary_files_is_told_in_words(tmp_path, number):
    with pytest.raises(OutputError) as caught:
        fail(tmp_path / "o.csv", number)
    assert str(caught.value) == (
        f"{tmp_path / 'o.csv'}: the temporary files beside it could not be written: "
        f"{FULL[number]}. No file was written."
    )
    assert list(tmp_path.iterdir()) == []


def test_what_else_fails_is_not_blamed_on_the_disk(tmp_path):
    with pytest.raises(OSError, match="some words"):
        fail(tmp_path / "o.csv", errno.EIO)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_for_its_owner_only(tmp_path):
    with private_folder(tmp_path / "o.csv") as folder:
        assert is_private(folder)
        assert is_private(folder.parent)
