"""The public report: for those who analyse a release, and for the people in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.sentences import join_names
from swapmeet.core.tables.schema import Role
from swapmeet.reporting.scores import UTILITY, group_scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.methods.description import Description
    from swapmeet.reporting.sources import Sources

CANDOUR = (
    "No such protection is perfect: someone who already knows much about you might still find your "
    "record, or guess something right."
)
"""For the people in the data, whatever the method."""
ADVICE = (
    (
        "Standard errors and p-values of usual software do not include the uncertainty that "
        "masking adds: read intervals as a little too narrow, and results near a threshold with "
        "caution."
    ),
    (
        "Do not draw conclusions about single records or link records with other sources: a row "
        "does not describe one real person."
    ),
    "Figures about small groups are the least reliable. Prefer groups of a hundred or more.",
    (
        "Missing values moved or stayed like other values; a missing value need not be that of "
        "the person whose row it stands in."
    ),
    "Columns marked as published unmasked are exact.",
)
"""For analysts, whatever the method."""
BRACKETS = (
    (0.01, "fewer than 1 in 100"),
    (0.05, "fewer than 1 in 20"),
    (0.1, "fewer than 1 in 10"),
    (0.2, "fewer than 1 in 5"),
    (0.5, "fewer than half"),
)
DIGITS = 3
"""What the public sees of a figure: an exact one would let intruders test their guesses."""
FOUND = ("pscr", "dbrl", "linkage")
"""Measures of how many people an intruder finds."""
CLEARED = (
    "Checked before publication: this release keeps the limits of risk that were set for it, even "
    "where chance is counted against it."
)
NOT_CLEARED = "This release does not keep the limits of risk, and was not cleared for publication."
UNDECIDED = "Whether this release keeps the limits of risk could not be decided."
UNJUDGED = "This release was not judged by limits of risk."
"""The verdict for the public: no figure, which would help intruders to choose their attack."""


def build_public(sources: Sources) -> dict[str, Any]:
    """The contents of a public report: no candidate, no exact parameter, nothing of one record."""
    if sources.setting is None and sources.study and not sources.card:
        _ = sources.study.best
    return {
        "verdict": _verdict(sources),
        "rows": sources.rows,
        "method": _method(sources),
        "columns": [
            {"name": c.name, "kind": str(c.kind), "masked": sources.is_masked(c)}
            for c in sources.columns
            if c.role is not Role.DROP
        ],
        "preserved": list(_preserved(sources)),
        "advice": [sources.description.analysts, *ADVICE],
        "risk": list(_risk(sources)),
        "people": list(_people(sources)),
    }


def _verdict(sources: Sources) -> str:
    """The verdict in words, without a figure, a limit or what the intruder knows."""
    verdict = sources.verdict
    if verdict is None or not verdict.reasons:
        return UNJUDGED
    if sources.release and sources.release.reproducible:
        return NOT_CLEARED
    return CLEARED if verdict.safe else NOT_CLEARED if verdict.decided else UNDECIDED


def _method(sources: Sources) -> dict[str, Any] | None:
    if sources.setting is None:
        return None
    if sources.method is None:
        return {"name": sources.setting.name, "summary": "", **_words(sources.description),
                "parts": []}  # fmt: skip
    return {
        "name": sources.method.name,
        "summary": sources.method.summary,
        **_words(sources.description),
        "parts": [
            {"name": part.name, "columns": list(columns), **_words(part.description)}
            for part, columns in sources.method.submethods
        ],
    }


def _words(description: Description) -> dict[str, Any]:
    """The full name, and the settings that may be published."""
    return {"title": description.title, "settings": [asdict(one) for one in description.settings]}


def _preserved(sources: Sources) -> Iterator[dict[str, Any]]:
    """Public measures of utility with a value, of the release or of trials of the same setting."""
    rows = [r for f in group_scores(sources) if f["family"] == UTILITY for r in f["scores"]]
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
            f"{share} of the people were found."
        )
    yield (
        "That does not mean that there is no risk: an intruder with other knowledge may do better, "
        "and nobody can promise that this will never succeed."
    )


def _shares(sources: Sources) -> Iterator[float]:
    for name in FOUND:
        score = sources.card.scores.get(name) if sources.card else None
        if score is not None and not score.undefined:
            yield score.unfavourable
        elif sources.card is None and sources.tried and name in sources.tried.repeats:
            median = sources.tried.median(name)
            if median == median:
                yield median


def _people(sources: Sources) -> Iterator[str]:
    yield sources.description.people
    plain = [c.name for c in sources.columns
             if c.role is not Role.DROP and not sources.is_masked(c)]  # fmt: skip
    if plain:
        yield f"Your values of {join_names(plain)} are published as they are."
    if any(c.role is Role.DROP for c in sources.columns):
        yield "Columns that would name you were left out."
    yield CANDOUR
