"""Files that are no tables, or not there: a message on the page, and the session lives on."""

from __future__ import annotations

from io import BytesIO

import openpyxl
import pytest
from curator import JOB

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0"
    "000003010100c9fe92ef0000000049454e44ae426082"
)
PROSE = b"""\
Once upon a time there was a curator.
She had a file, and in it there were people.
Nobody was to find them; not even the neighbours, who knew, as they do, a lot.
"""
TABLE = b"age,sex,income\n" + b"".join(b"%d,%d,%d\n" % (20 + n, n % 2, 7 * n) for n in range(60))
WRONG = {
    "picture.csv": (PICTURE, "picture.csv: is not a text, or not one in"),
    "prose.csv": (PROSE, "prose.csv: line 2 has 2 cells, and the first line has 1"),
    "empty.csv": (b"", "empty.csv: is empty"),
    "empty.parquet": (b"", "empty.parquet: is empty"),
    "table.xyz": (TABLE, "table.xyz: unknown file format"),
    "cut.parquet": (b"PAR1" + TABLE, "cut.parquet: is not a readable Parquet file"),
}


def lock_workbook():
    """The bytes of a workbook with a password."""
    ooxml = pytest.importorskip("msoffcrypto.format.ooxml", reason="msoffcrypto is not installed")
    plain, locked = BytesIO(), BytesIO()
    openpyxl.Workbook().save(plain)
    ooxml.OOXMLFile(plain).encrypt("secret", locked)
    return locked.getvalue()


@pytest.fixture
def curator(curator):
    """One whose session must live on, whatever the test does."""
    yield curator
    curator.go_home()
    curator.upload({"name": "people.csv", "mimeType": "text/csv", "buffer": TABLE})
    curator.wait_for("60 rows and 3 columns")


def upload(curator, name, content):
    curator.upload({"name": name, "mimeType": "", "buffer": content})
    return curator.problem


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("name", WRONG)
def test_an_uploaded_file_that_is_no_table_is_told_by_its_name(curator, name):
    content, message = WRONG[name]
    assert message in upload(curator, name, content)
    assert "/source/" not in curator.problem


@pytest.mark.slow
def test_an_uploaded_workbook_with_a_password_is_told_as_such(curator):
    assert "locked.xlsx: is protected by a password" in upload(
        curator, "locked.xlsx", lock_workbook()
    )


def test_a_path_that_leads_nowhere_is_told_and_stays_in_the_form(curator, tmp_path):
    path = tmp_path / "people.csv"
    curator.open_path(path)
    assert f"{path}: no such file" in curator.problem
    assert curator.page.get_by_label("Path of the file").input_value() == str(path)


@pytest.mark.slow
def test_a_file_that_is_no_table_is_told_by_its_path(curator, tmp_path):
    path = tmp_path / "picture.csv"
    path.write_bytes(PICTURE)
    curator.open_path(path)
    assert f"{path}: is not a text, or not one in" in curator.problem


@pytest.mark.slow
def test_a_file_that_went_away_is_told_when_a_candidate_is_asked_for(curator, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TABLE)
    curator.open_path(path)
    curator.wait_for("60 rows and 3 columns")
    path.unlink()
    curator.ask_for_candidate()
    curator.page.get_by_text(f"failed: {path}: no such file").wait_for(timeout=JOB)


@pytest.mark.slow
def test_a_file_that_was_read_wrongly_can_be_read_again(curator, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(TABLE.replace(b",", b"~"))
    curator.open_path(path)
    curator.wait_for("60 rows and 1 column,")
    curator.page.get_by_text("Not read as it should be?").click()
    curator.page.get_by_label("Delimiter").fill("~")
    curator.click("Read it again")
    curator.wait_for("60 rows and 3 columns")
