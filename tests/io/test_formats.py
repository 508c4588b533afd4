from __future__ import annotations

from pathlib import Path

import pytest

from swapmeet.errors import UsageError
from swapmeet.io import FORMATS, format_of
from swapmeet.io.format import StreamingFormat


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", "csv"),
        ("a.CSV", "csv"),
        ("a.tsv", "csv"),
        ("a.txt", "csv"),
        ("a.b.csv.gz", "csv"),
        ("a.parquet", "parquet"),
        ("a.feather", "arrow"),
        ("a.arrow", "arrow"),
        ("a.sav", "spss"),
        ("a.zsav", "spss"),
        ("a.dta", "stata"),
        ("a.sas7bdat", "sas"),
        ("a.xpt", "xport"),
        ("a.xlsx", "excel"),
    ],
)
def test_the_end_of_the_name_tells_the_format(name, expected):
    assert format_of(name) == expected
    assert format_of(Path("folder.csv") / name) == expected


@pytest.mark.parametrize("name", ["a", "a.gz", "a.xls", "csv", "a.parquet.gz"])
def test_unknown_names_are_told_all_known_endings(name):
    with pytest.raises(UsageError, match=r"unknown file format") as caught:
        format_of(name)
    for each in FORMATS.values():
        assert all(suffix in str(caught.value) for suffix in each.suffixes)


def test_only_sas_cannot_be_written():
    assert [name for name, each in FORMATS.items() if not each.can_write] == ["sas"]
    assert all(name == each.name for name, each in FORMATS.items())


def test_the_page_on_files_tells_what_each_format_can():
    page = Path(__file__).parents[2] / "docs" / "reference" / "files.md"
    rows = [line.split(" | ") for line in page.read_text().splitlines() if line.startswith("| ")]
    told = {row[0].removeprefix("| "): row[1:5] for row in rows[2:]}
    assert list(told) == [each.title for each in FORMATS.values()]
    for each in FORMATS.values():
        suffixes, *abilities = told[each.title]
        assert all(f"`{suffix}`" in suffixes for suffix in each.suffixes)
        can = (True, each.can_write, isinstance(each, StreamingFormat))
        assert abilities == ["yes" if one else "no" for one in can]


def test_an_address_where_only_a_file_will_do_is_refused_without_repeating_it():
    with pytest.raises(UsageError, match="only a file will do") as caught:
        format_of("postgresql://ann:hidden-4711@host/clinic")
    assert "hidden" not in str(caught.value)
