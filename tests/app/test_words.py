from __future__ import annotations

import pytest

from swapmeet.app.formatting import OPTIONS, WHERE, explain_options, say_on_page


@pytest.mark.parametrize(
    "sentence",
    [
        "Name your own with --limit if others fit your data.",
        "Name limits, such as --limit linkage=0.2, first.",
        "Mask more strongly: `swapmeet tune FILE --limit linkage=0.2` searches for a setting.",
        "Measure more rows (--at-most, or a larger table).",
        "Let households trade as wholes (--whole-households).",
    ],
)
def test_advice_has_no_options_that_a_page_does_not_have(sentence):
    assert OPTIONS.search(sentence)
    assert not OPTIONS.search(say_on_page(sentence))


def test_other_sentences_stay():
    assert say_on_page("Safe to publish.") == "Safe to publish."


@pytest.mark.parametrize("message", ["Leave it out: --drop income.", "--limit: no such measure."])
def test_options_in_a_refusal_are_explained(message):
    assert explain_options(message) == WHERE


@pytest.mark.parametrize("message", ["No such file.", "", "a -- b", "x--drop", "-----"])
def test_what_has_no_options_needs_no_words(message):
    assert explain_options(message) == ""
