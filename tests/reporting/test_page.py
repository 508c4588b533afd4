from __future__ import annotations

import json
import re
from base64 import b64decode
from dataclasses import replace
from hashlib import sha256

import pytest

from swapmeet.errors import UsageError
from swapmeet.reporting import report
from swapmeet.reporting.contents import build_contents
from swapmeet.reporting.page import (
    find_policy,
    render_page,
    split_paragraphs,
    tidy_reason,
    write_policy,
)
from swapmeet.reporting.sources import Sources


def test_control_codes_are_escaped(card):
    told = build_contents(Sources(card=card, title="Wages\x00\x1b of <all>"), "internal")
    text = render_page(told, [])
    assert "<h1>Wages\\x00\\x1b of &lt;all&gt;</h1>" in text
    assert not any(c < " " and c != "\n" for c in text)


def test_parts_that_have_nothing_to_say_have_no_heading(card):
    bare = replace(card, models=(), components=None, tables=(), rare=(), profile=None)
    text = render_page(build_contents(Sources(card=bare), "internal"), [])
    assert "Analyses side by side" not in text
    assert "Rare records" not in text
    assert "The search" not in text
    whole = render_page(build_contents(Sources(card=card), "internal"), [])
    assert "Analyses side by side" in whole
    assert "Rare records" in whole


def test_the_verdict_is_the_first_line_under_the_heading(card):
    judged = replace(card, limits={"pscr": 0.0}, reproducible=False)
    for audience, words in (
        ("internal", "Not safe to publish"),
        ("public", "This release exceeds"),
    ):
        text = render_page(build_contents(Sources(card=judged), audience), [])
        below = text.split("</h1>")[1].lstrip()
        assert below.startswith('<p class="verdict')
        assert below.partition(">")[2].startswith(words)


def test_measures_without_a_limit_are_folded(card):
    judged = replace(card, limits={"pscr": 0.0})
    text = render_page(build_contents(Sources(card=judged), "internal"), [])
    part = text.split('id="scores"')[1].split("<h2")[0]
    plain, folded = part.split("<details>", 1)
    assert "<code>pscr</code>" in plain
    assert "<code>dbrl</code>" not in plain
    assert "<code>dbrl</code>" in folded
    assert "<summary>More measures of risk (2)</summary>" in folded
    assert "<details open>" in folded
    assert "<summary>Measures of utility (3)</summary>" in folded


def test_the_page_allows_its_one_style_and_nothing_else(card):
    for audience in ("internal", "public"):
        page = render_page(build_contents(Sources(card=card), audience), [])
        (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
        found = re.fullmatch(r"default-src 'none'; style-src 'sha256-([\w+/=]+)'", policy)
        assert b64decode(found[1]) == sha256(style.encode()).digest()
        assert find_policy(page) == policy


def test_a_title_brings_no_style_of_its_own(card):
    odd = "</title><style>p { color: red }</style>"
    page = render_page(build_contents(Sources(card=card, title=odd), "internal"), [])
    plain = render_page(build_contents(Sources(card=card), "internal"), [])
    assert find_policy(page) == find_policy(plain)


def test_a_page_without_style_allows_none():
    assert write_policy([]) == find_policy("<p>Hi") == "default-src 'none'; style-src 'none'"


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
