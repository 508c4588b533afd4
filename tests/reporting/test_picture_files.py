from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from swapmeet.errors import OutputError, UsageError
from swapmeet.plots.style import look, sheet
from swapmeet.plots.svg import to_svg
from swapmeet.reporting import report
from swapmeet.reporting.pictures import Picture
from swapmeet.reporting.writing import check_pictures, name_file, write_pictures

TITLES = ("Correlations before and after", "Influence on wage ~ age\x1b + größe")
NAMES = ["01-correlations-before-and-after.svg", "02-influence-on-wage-age-gr-e.svg"]


@pytest.fixture(scope="module")
def pictures():
    made = []
    for title in TITLES:
        with look():
            drawn = to_svg(sheet(2.0), title=title, description=f"In words: {title}")
        made.append(Picture("profile", title, f"In words: {title}", "A caption.", drawn))
    return made


def test_each_picture_is_a_file_and_the_list_says_what_it_shows(tmp_path, pictures):
    write_pictures(tmp_path / "pictures", pictures, overwrite=False)
    files = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert files == [*NAMES, "index.json"]
    told = json.loads((tmp_path / "pictures" / "index.json").read_text())
    assert told["format"] == "swapmeet pictures 1"
    assert told["pictures"][0] == {
        "file": NAMES[0], "section": "profile", "title": TITLES[0],
        "description": f"In words: {TITLES[0]}", "caption": "A caption.",
    }  # fmt: skip
    assert [one["file"] for one in told["pictures"]] == NAMES


def test_files_stand_alone_whatever_columns_are_called(tmp_path, pictures):
    write_pictures(tmp_path / "pictures", pictures, overwrite=False)
    for name in NAMES:
        text = (tmp_path / "pictures" / name).read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        assert "style" not in text
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert (root.attrib["width"], root.attrib["height"]) == ("518.4pt", "144pt")
    assert "wage ~ age\\x1b + größe</title>" in text


def test_a_report_without_pictures_has_an_empty_list(tmp_path):
    write_pictures(tmp_path / "pictures", [], overwrite=False)
    assert json.loads((tmp_path / "pictures" / "index.json").read_text())["pictures"] == []


def test_names_are_short_and_sort_like_the_page():
    assert name_file(3, "x" * 300) == f"03-{'x' * 60}.svg"
    assert name_file(100, "Größe") > name_file(10, "Größe")
    assert name_file(7, "性别") == "07-.svg"


def test_pictures_replace_pictures_when_asked_and_nothing_else(tmp_path, pictures):
    folder = tmp_path / "pictures"
    folder.mkdir()
    write_pictures(folder, pictures, overwrite=False)
    with pytest.raises(UsageError, match="exists already"):
        check_pictures(folder, [], overwrite=False)
    write_pictures(folder, pictures[:1], overwrite=True)
    assert sorted(path.name for path in folder.iterdir()) == [NAMES[0], "index.json"]
    (folder / "drawing.svg").write_text("mine")
    with pytest.raises(UsageError, match="not a folder of a report's pictures only"):
        check_pictures(folder, [], overwrite=True)


@pytest.mark.parametrize("name", [".", "page.html", "page.json", "link"])
def test_a_folder_that_the_report_stands_in_is_refused(tmp_path, name):
    (tmp_path / "link").symlink_to(tmp_path)
    page = tmp_path / "page.html"
    with pytest.raises(UsageError, match="Give the pictures another folder"):
        check_pictures(tmp_path / name, (page, page.with_suffix(".json")), overwrite=True)


@pytest.mark.slow
def test_the_page_and_its_pictures_appear_together(card, tmp_path):
    report(card, tmp_path / "page.html", pictures=tmp_path / "pictures")
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "page.json", "pictures"}
    listed = json.loads((tmp_path / "pictures" / "index.json").read_text())["pictures"]
    twin = json.loads((tmp_path / "page.json").read_text())["pictures"]
    assert [one["title"] for one in listed] == [one["title"] for one in twin]
    assert listed


@pytest.mark.slow
def test_no_page_appears_where_pictures_cannot_be_written(card, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "full")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OutputError, match="the disk is full"):
        report(card, tmp_path / "page.html", pictures=tmp_path / "pictures")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("audience", ["internal", "public"])
@pytest.mark.filterwarnings("ignore::swapmeet.SwapmeetWarning")
def test_no_value_and_no_seed_is_shown(card, release, secrets, tmp_path, audience):
    report(card, tmp_path / "page.html", audience=audience, release=release,
           pictures=tmp_path / "pictures")  # fmt: skip
    for path in (tmp_path / "pictures").iterdir():
        text = path.read_text()
        assert not [secret for secret in secrets if secret in text]
