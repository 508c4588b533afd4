"""The public report: for those who analyse a release, and for the people in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.core.tables.schema import Role
from swapmeet.methods import METHODS
from swapmeet.reporting.figures import listed
from swapmeet.reporting.plain_words import ADVICE, CANDOUR, people, words_of
from swapmeet.reporting.scores import UTILITY, families
from swapmeet.reporting.told import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.reporting.sources import Sources
    from swapmeet.tuning.trial import Setting

BRACKETS = (
    (0.01, "fewer than 1 in 100"),
    (0.05, "fewer than 1 in 20"),
    (0.1, "fewer than 1 in 10"),
    (0.2, "fewer than 1 in 5"),
    (0.5, "fewer than half"),
)
DIGITS = 3
"""What the public sees of a figure: an exact one would let intruders test their guesses."""
FOUND = ("pscr", "dbrl")
"""Measures of how many people an intruder finds."""


def public(sources: Sources) -> dict[str, Any]:
    """The contents of a public report: no candidate, no exact parameter, nothing of one record."""
    if sources.setting is None and sources.study and not sources.card:
        _ = sources.study.best
    return {
        "rows": sources.rows,
        "method": _method(sources.setting),
        "columns": [
            {"name": c.name, "kind": str(c.kind), "masked": sources.is_masked(c)}
            for c in sources.columns
            if c.role is not Role.DROP
        ],
        "preserved": list(_preserved(sources)),
        "advice": [words_of(_name(sources)).analysts, *ADVICE],
        "risk": list(_risk(sources)),
        "people": list(_people(sources)),
    }


def _name(sources: Sources) -> str | None:
    return sources.setting.name if sources.setting else None


def _method(setting: Setting | None) -> dict[str, Any] | None:
    if setting is None:
        return None
    return {
        "name": setting.name,
        "title": words_of(setting.name).title,
        "summary": METHODS[setting.name].summary if setting.name in METHODS else "",
        "told": told(setting.name, setting.settings),
        "parts": [
            {"name": part["name"], "title": words_of(part["name"]).title,
             "columns": list(part["columns"]), "told": told(part["name"], part)}
            for part in setting.settings.get("parts", ())
        ],
    }  # fmt: skip


def _preserved(sources: Sources) -> Iterator[dict[str, Any]]:
    """Public measures of utility with a value, of the release or of trials of the same setting."""
    rows = [r for f in families(sources) if f["family"] == UTILITY for r in f["scores"]]
    for row in rows:
        value = row["value"] if row["value"] is not None else (row["tuned"] or {}).get("median")
        if value is not None and row["public"]:
            yield {
                **{n: row[n] for n in ("measure", "question", "better", "bounds", "sentence")},
                "value": float(f"{value:.{DIGITS}g}"),
            }


def _risk(sources: Sources) -> Iterator[str]:
    yield (
        "The curator measured how well somebody who already knows much about a person could find "
        "that person in this release, and weighed this against what analysts lose."
    )
    found = max(_shares(sources), default=None)
    if found is not None:
        share = next((words for most, words in BRACKETS if found < most), "half or more")
        yield (
            "In a demanding test, in which the intruder knows the true values of a person, "
            f"{share} of the people were found; and an intruder cannot tell which finds are right."
        )
    yield (
        "That does not mean that there is no risk: an intruder with other knowledge may do better, "
        "and nobody can promise that this will never succeed."
    )


def _shares(sources: Sources) -> Iterator[float]:
    for name in FOUND:
        score = sources.card.scores.get(name) if sources.card else None
        if score is not None and not score.undefined:
            yield score.value
        elif sources.card is None and sources.tried and name in sources.tried.repeats:
            median = sources.tried.median(name)
            if median == median:
                yield median


def _people(sources: Sources) -> Iterator[str]:
    setting = sources.setting
    yield people(_name(sources), setting.settings if setting else {})
    plain = [c.name for c in sources.columns
             if c.role is not Role.DROP and not sources.is_masked(c)]  # fmt: skip
    if plain:
        yield f"Your values of {listed(plain)} are published as they are."
    if any(c.role is Role.DROP for c in sources.columns):
        yield "Columns that would name you were left out."
    yield CANDOUR
