from __future__ import annotations

import pytest

from swapmeet.app.words import explain_options, say_on_page


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("let households trade as wholes (--whole-households), or", "under Roles"),
        ("weight: published. If it may be known, say so.", "tick the column under Roles."),
        ("`swapmeet tune FILE --limit linkage=0.2` searches for a setting", "“Search for me”"),
        ("a can: combine methods with per-column, or give them the role keep", "choose one of"),
    ],
)
def test_pages_name_what_pages_have(sentence, words):
    said = say_on_page(sentence)
    assert words in said
    assert not explain_options(said)


def test_options_that_remain_are_explained():
    assert "step 1" in explain_options("Say --no-header if the first row is a record.")
