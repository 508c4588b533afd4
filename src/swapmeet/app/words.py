"""Sentences of the command line, said as the pages of the app would say them."""

from __future__ import annotations

import re

ON_PAGES = (
    (r"Name your own with --limit", "Set your own under Protect"),
    (r"Name limits, such as --limit linkage=0\.2", "Set limits under Protect"),
    (r"`swapmeet tune FILE [^`]*` searches for", "“Search for me” under Protect looks for"),
    (r"Search longer: the same command goes on\.", "“Go on with it” searches longer."),
    (r"Search longer to know: the same command goes on\.", "“Go on with it” searches longer."),
    (r" Or let values move between positions: leave out --position \(`position`\)\.", ""),
    (r"Or mask them by another method \(per-column\), or give", "Or give"),
    (r" \(--at-most, or a larger table\)", " (a larger table)"),
    (r" \(--whole-households\)", " (under Roles, “What else holds in the table”)"),
    (r"combine methods with per-column, or give them", "choose one of these, or give them"),
    (r"(may be known), say so\.", r"\1, tick the column under Roles."),
)
OPTIONS = re.compile(r"(?<![\w-])--[a-z]")
WHERE = (
    "Words that begin with two dashes are options of the command line. Here they are “Not read as "
    "it should be?” in step 1, the roles and lines of step 2, and the settings of step 3."
)


def say_on_page(sentence: str) -> str:
    """Return a verdict's advice without options that a page does not have.

    >>> say_on_page("Name your own with --limit if others fit your data.")
    'Set your own under Protect if others fit your data.'
    """
    for pattern, words in ON_PAGES:
        sentence = re.sub(pattern, words, sentence)
    return sentence


def explain_options(message: str) -> str:
    """Say where the page has the options that a refusal names; empty if it names none."""
    return WHERE if OPTIONS.search(message) else ""
