"""The two files of a report: whole, self-contained, and without secrets."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

import swapmeet as sm
from swapmeet.errors import OutputError, ParameterError, UsageError
from swapmeet.reporting import report

pytestmark = pytest.mark.slow
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Checks that elements are closed in order, and collects tags, ids, links and text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.ids, self.attributes, self.text = [], [], [], [], ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += f" {data}"


@pytest.fixture(scope="module")
def written(tmp_path_factory, study, card, release):
    """The pages and twins of all sorts of reports."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}
    sorts = {
        "both": (study, {"card": card, "release": release, "checksum": "f00d" * 16}),
        "card": (replace(card, profile=None), {}),
        "study": (study, {}),
    }
    for audience in ("internal", "public"):
        for sort, (result, more) in sorts.items():
            path = folder / f"{audience} {sort}.html"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sm.SwapmeetWarning)
                report(result, path, audience=audience, **more)
            made[audience, sort] = path
    return made


SORTS = [(a, s) for a in ("internal", "public") for s in ("both", "card", "study")]


@pytest.mark.parametrize("sort", SORTS)
def test_pages_are_well_formed_and_need_nothing_else(written, sort):
    page = written[sort].read_text()
    reader = Reader(page)
    assert page.startswith("<!DOCTYPE html>")
    assert ("lang", "en") in reader.attributes
    assert len(reader.ids) == len(set(reader.ids))
    assert not {"script", "link", "img", "iframe", "object"} & set(reader.tags)
    links = [value for name, value in reader.attributes if name in {"href", "src"}]
    assert links
    assert all(link.startswith("#") and link[1:] in reader.ids for link in links)
    assert "http" not in page.replace("http-equiv", "")
    assert not re.search(r"url\((?!#)|@import|\bon\w+=", page)
    assert "style" not in {name for name, _ in reader.attributes}
    assert "unsafe" not in page


@pytest.mark.parametrize("sort", SORTS)
def test_neither_file_holds_a_value_or_the_seed(written, sort, secrets):
    for path in (written[sort], written[sort].with_suffix(".json")):
        text = path.read_text()
        leaked = [secret for secret in secrets if secret in text]
        assert not leaked, (path, len(leaked))


def test_donors_are_not_told(written, release):
    told = json.loads(written["internal", "both"].with_suffix(".json").read_text())
    lists = [value for value in _walk(told) if isinstance(value, list)]
    assert len(release.data) == 150
    assert all(len(one) < 100 for one in lists)


def _walk(value):
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _walk(one)


@pytest.mark.parametrize("sort", SORTS)
def test_names_of_columns_are_escaped(written, sort):
    page = written[sort].read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page or sort == ("public", "card")


@pytest.mark.parametrize("sort", SORTS)
def test_tables_have_captions_and_headings_come_in_order(written, sort):
    reader = Reader(written[sort].read_text())
    assert reader.tags.count("table") == reader.tags.count("caption")
    levels = [int(tag[1]) for tag in reader.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_says_what_its_twin_says(written, study):
    told = json.loads(written["internal", "both"].with_suffix(".json").read_text())
    text = " ".join(Reader(written["internal", "both"].read_text()).text.split())
    for sentence in (*told["summary"], *told["notes"], *told["not_protected"]["general"]):
        assert " ".join(sentence.split()) in text
    assert "f00d" * 16 in text
    assert study.best.label in text


def test_the_public_page_has_words_for_the_people(written):
    text = " ".join(Reader(written["public", "both"].read_text()).text.split())
    mixed = "Your answers were mixed with those of similar people before publication."
    kept = "Your values of weight are published as they are."
    assert f"For the people in the data {mixed} {kept}" in text
    assert "How values were masked: a value is replaced" in text
    assert "not measured how far standard errors, p-values and confidence intervals" in text
    assert "frontier" not in text
    assert "runner-up" not in text


@pytest.fixture
def plain(card):
    """A card that makes no pictures, which cost most of the time."""
    return replace(card, profile=None)


def test_the_public_page_of_a_release_with_a_chosen_seed_is_warned_of(tmp_path, plain, release):
    with pytest.warns(sm.SwapmeetWarning, match="not for publication"):
        report(plain, tmp_path / "r.html", audience="public", release=release)


def test_existing_reports_are_not_overwritten_unawares(tmp_path, plain):
    (tmp_path / "r.json").write_text("mine")
    with pytest.raises(UsageError, match=r"r\.json: exists already"):
        report(plain, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()
    report(plain, tmp_path / "r.html", overwrite=True)
    assert json.loads((tmp_path / "r.json").read_text())["audience"] == "internal"


def test_both_files_appear_or_none(tmp_path, plain, monkeypatch):
    renamed = Path.replace

    def failing(self, target):
        if str(target).endswith("r.json"):
            raise OSError(28, "No space left on device")
        return renamed(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OutputError, match="the disk is full"):
        report(plain, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_an_html_file(tmp_path, plain):
    with pytest.raises(UsageError, match=r"ends in \.html"):
        report(plain, tmp_path / "r.pdf")


def test_unknown_audiences_are_refused_before_any_work(tmp_path):
    with pytest.raises(ParameterError, match="There are internal and public"):
        report(None, tmp_path / "r.html", audience="press")


def test_a_title_with_markup_is_escaped(tmp_path, plain):
    report(plain, tmp_path / "r.html", title="Wages <b>2026</b>")
    assert "<title>Wages &lt;b&gt;2026&lt;/b&gt;</title>" in (tmp_path / "r.html").read_text()


def test_names_that_are_not_text_do_not_hinder(tmp_path, plain):
    report(plain, tmp_path / "r.html", title="odd \udc80 name")
    assert "odd \\udc80 name" in (tmp_path / "r.html").read_text()


def test_names_of_categories_are_refused_for_the_public(card, tmp_path):
    with pytest.raises(UsageError, match="for insiders"):
        report(card, tmp_path / "page.html", audience="public", labels=True)
    assert not list(tmp_path.iterdir())
