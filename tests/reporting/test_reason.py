from __future__ import annotations

import json

import pytest

from swapmeet.errors import UsageError
from swapmeet.reporting import report
from swapmeet.reporting.contents import build_contents
from swapmeet.reporting.page import render_page, split_paragraphs, tidy_reason
from swapmeet.reporting.sources import Sources

WORDS = "We publish <this>,\nsoon.\n\nThe board \x1bagreed."


@pytest.mark.parametrize("blank", [None, "", " \r\n "])
def test_no_words_are_no_reason(blank):
    assert tidy_reason(blank) is None


def test_line_ends_of_forms_and_old_systems_are_line_ends():
    assert tidy_reason("a\r\n\r\nb\rc\n") == "a\n\nb\nc"


def test_blank_lines_part_paragraphs():
    assert split_paragraphs("a\nb\n\n\nc\n \nd") == ["a\nb", "c", "d"]


def test_the_record_quotes_the_reason_below_the_verdict_and_the_losses(card):
    told = build_contents(Sources(card=card, reason=WORDS), "internal")
    assert told["reason"] == WORDS
    page = render_page(told, [])
    below = page.split('<p class="verdict')[1].split("</p>", 1)[1].lstrip()
    below = below[below.index("</p>") + len("</p>") :].lstrip()
    assert below.startswith('<h2 id="reason">The decision, in the curator\'s words</h2>')
    assert "<p>We publish &lt;this&gt;,\nsoon.</p>" in below
    assert "<p>The board \\x1bagreed.</p>" in below


def test_without_a_reason_there_is_no_heading(card):
    told = build_contents(Sources(card=card), "internal")
    assert told["reason"] is None
    assert "curator" not in render_page(told, [])


def test_the_public_never_reads_it(card, tmp_path):
    assert "reason" not in build_contents(Sources(card=card, reason=WORDS), "public")
    with pytest.raises(UsageError, match=r"`reason` is the decision .* for insiders"):
        report(card, tmp_path / "page.html", audience="public", reason=WORDS)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_twin_has_it_for_machines(card, tmp_path):
    report(card, tmp_path / "page.html", reason=f" {WORDS}\r\n")
    text = (tmp_path / "page.json").read_text()
    assert json.loads(text)["reason"] == WORDS
    assert "\x1b" not in text
