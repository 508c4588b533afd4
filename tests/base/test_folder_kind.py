from __future__ import annotations

import pytest

from swapmeet.base.atomic import PARQUET, is_empty


@pytest.mark.parametrize(
    ("names", "fits"),
    [
        ([], True),
        (["part.parquet", ".part.parquet.crc", "_SUCCESS"], True),
        (["seed.json", "donors"], True),
        (["part.parquet", "diary.txt"], False),
        (["donors"], False),
    ],
)
def test_a_folder_of_parquet_files_has_nothing_else(tmp_path, names, fits):
    for name in names:
        (tmp_path / name).touch()
    assert PARQUET.fits(tmp_path) == fits


def test_neither_a_file_nor_a_link_nor_nothing_is_an_empty_folder(tmp_path):
    folder, link, file = tmp_path / "folder", tmp_path / "link", tmp_path / "file"
    folder.mkdir()
    link.symlink_to(folder)
    file.touch()
    assert is_empty(folder)
    assert not any(map(is_empty, (link, file, tmp_path, tmp_path / "nothing")))
