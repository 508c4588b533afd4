from __future__ import annotations

from dataclasses import replace

from swapmeet.reporting.contents import build_contents
from swapmeet.reporting.page import render_page
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
