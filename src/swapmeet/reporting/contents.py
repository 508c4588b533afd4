"""Everything that a report says, as a plain dict that JSON can hold."""

from __future__ import annotations

import math
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from swapmeet import __version__
from swapmeet.comparison.comparison import Ownership
from swapmeet.comparison.score import Judgement
from swapmeet.errors import ParameterError, UsageError, did_you_mean
from swapmeet.measures.side_by_side.facts import ColumnFacts, Extent
from swapmeet.reporting.analysts import write_to_analysts
from swapmeet.reporting.figures import FEW, WITHIN, describe_change, describe_part, name_columns
from swapmeet.reporting.internal import build_internal
from swapmeet.reporting.people import PROTECTED, describe_rule, write_to_people
from swapmeet.reporting.scores import UTILITY, group_scores
from swapmeet.tables.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from swapmeet.methods.description import Description
    from swapmeet.reporting.pictures import Picture
    from swapmeet.reporting.sources import Sources


BRACKETS = (*FEW, (0.2, "fewer than 1 in 5"), (0.5, "fewer than half"))
DIGITS = 3
"""What the public sees of a figure: an exact one would let intruders test their guesses."""
FOUND = ("pscr", "dbrl", "linkage")
"""Measures of how many people an intruder finds."""
SAME = "as before"
COPIED = "people whose record is released"
"""The count among the details of `copies`."""
CLEARED = (
    "Checked before publication: this release is within the risk limits that were set for it, with "
    "a margin for chance."
)
CLEARED_BY_DEFAULT = (
    "Checked before publication: this release is within the usual risk limits, with a margin for "
    "chance."
)
NOT_CLEARED = "This release exceeds the risk limits, and was not cleared for publication."
UNDECIDED = "It could not be decided whether this release is within the risk limits."
UNJUDGED = "No risk limits were set for this release."
"""The verdict for the public: no figure, which would help intruders to choose their attack."""

NOTHING = "There is no release: no way of masking these data was chosen."
UNPUBLISHED = "No release was made, so none of your values are in one."
RENUMBERED = "random numbers that show which rows belong together"


def build_public(sources: Sources) -> dict[str, Any]:
    """The contents of a public report: no candidate, no exact parameter, nothing of one record."""
    if sources.is_without_release:
        return _describe_nothing(sources)
    words, cleared = _verdict(sources)
    return {
        "verdict": words,
        "cleared": cleared,
        "losses": sources.public_losses,
        "rows": sources.rows,
        "method": _method(sources),
        "done": [*_describe_extents(sources), *_describe_protection(sources)],
        "columns": list(_columns(sources)),
        "preserved": list(_preserved(sources)),
        "advice": list(write_to_analysts(sources)),
        "risk": list(_risk(sources)),
        "people": list(write_to_people(sources)),
    }


def _describe_nothing(sources: Sources) -> dict[str, Any]:
    """The page of a search that chose nothing: there is no release, and so nothing about one."""
    return {
        "verdict": NOTHING,
        "cleared": False,
        "losses": None,
        "rows": sources.rows,
        "method": None,
        "done": [],
        "columns": [],
        "preserved": [],
        "advice": [],
        "risk": [],
        "people": [UNPUBLISHED],
    }


def _verdict(sources: Sources) -> tuple[str, bool | None]:
    """The verdict in words, without a figure, a limit or what the intruder knows."""
    verdict = sources.verdict
    if verdict is None or not verdict.reasons:
        return UNJUDGED, None
    if sources.release and sources.release.reproducible:
        return NOT_CLEARED, False
    if verdict.judgement is Judgement.NOT_SAFE:
        return NOT_CLEARED, False
    if not verdict.decided:
        return UNDECIDED, None
    return (CLEARED_BY_DEFAULT if verdict.default else CLEARED), True


def _describe_extents(sources: Sources) -> Iterator[str]:
    """Describe what was done before masking, and how many columns changed how much."""
    if sources.recodes:
        yield sources.describe_steps()
    facts = sources.facts
    if facts is None:
        yield "How many values differ from those of the original was not measured for this page."
        return
    counts = {extent: len(facts.having(extent)) for extent in Extent}
    if counts[Extent.UNKNOWN]:
        yield (
            "The rows are new, and none of them is about one person in particular."
            if sources.card and sources.card.ownership is Ownership.NOBODY
            else "It is not known which row belongs to whom, nor how many values differ."
        )
        return
    text = ", ".join(f"{count} {extent}" for extent, count in counts.items() if count)
    yield f"Of {len(facts.columns)} columns, as they were measured: {text}."


def _describe_protection(sources: Sources) -> Iterator[str]:
    if sources.release and sources.release.protects:
        yield PROTECTED


def _columns(sources: Sources) -> Iterator[dict[str, Any]]:
    """The published columns, each with what became of it."""
    roles = {c.name: c for c in sources.columns if c.role is not Role.DROP}
    columns = {c.name: c for c in sources.facts.columns} if sources.facts else {}
    exact = set(sources.list_exact())
    recoded = {step.column for step in sources.recodes}
    units = sources.list_units()
    for name in dict.fromkeys((*roles, *columns)):
        facts = columns.get(name)
        yield {
            "name": name,
            "kind": str(roles[name].kind) if name in roles else columns[name].kind,
            "masked": name not in exact,
            "values": _say_origin(sources, name)
            + ("exact" if name in exact else _describe_values(facts, name in recoded)),
            "spread": _describe_spread(facts),
        } | ({"values": RENUMBERED} if name in units else {})


def _say_origin(sources: Sources, name: str) -> str:
    """That a column was computed from others, if it was."""
    parents = sources.parents.get(name)
    return f"computed anew from {name_columns(parents)}; " if parents else ""


def _describe_values(facts: ColumnFacts | None, is_recoded: bool) -> str:  # noqa: FBT001
    """Describe how much a masked or recoded column differs."""
    if facts is None or facts.clearly_changed is None:
        return "recoded" if is_recoded else "masked"
    if not facts.clearly_changed:
        return "nearly exact"
    return f"clearly different in {describe_part(facts.clearly_changed)} rows"


def _describe_spread(facts: ColumnFacts | None) -> str:
    if facts is None or facts.spread is None:
        return ""
    return SAME if describe_change(facts.spread) == WITHIN else describe_change(facts.spread)


def _method(sources: Sources) -> dict[str, Any] | None:
    if sources.setting is None:
        return None
    if sources.method is None:
        return {"name": sources.setting.name, "rule": [], **_words(sources.description),
                "parts": []}  # fmt: skip
    return {
        "name": sources.method.name,
        "rule": list(describe_rule(sources)),
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
    """Return what an intruder found, as far as it was measured, in brackets."""
    share = max(_shares(sources), default=None)
    if share is None:
        yield "How many people an intruder could find in this release has no figure here."
    else:
        what = "this release" if sources.card else "trials of the same setting"
        yield (
            f"In a demanding test of {what}, the intruder knew true values of each person, and "
            f"{describe_found(share)} of the people were found."
        )
    yield from _describe_copies(sources)
    yield (
        "An intruder with other knowledge may do better, and nobody can promise that this will "
        "never succeed."
    )


def describe_found(share: float) -> str:
    """A share of people in one of few brackets.

    >>> describe_found(0.0), describe_found(0.15), describe_found(0.5)
    ('fewer than 1 in 100', 'fewer than 1 in 5', 'half or more')
    """
    return next((words for most, words in BRACKETS if share < most), "half or more")


def _describe_copies(sources: Sources) -> Iterator[str]:
    """Say how many people's whole records are in the release, where it was counted."""
    score = sources.card.scores.get("copies") if sources.card else None
    if score is not None and not score.undefined and COPIED in score.details:
        yield (
            f"For {describe_found(score.details[COPIED] / sources.rows)} of the people, the "
            "release has a record with all their masked values that only they had, in their own "
            "place or another's."
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


FORMAT = "swapmeet report 1"
AUDIENCES: dict[str, Callable[[Sources], dict[str, Any]]] = {
    "internal": build_internal,
    "public": build_public,
}
TITLES = {"internal": "Decision record of a data release", "public": "About this data release"}
INSIDE = {
    "labels": "names categories, which are for insiders",
    "reason": "is the decision in the curator's words, which are for insiders",
}
"""What only the decision record may hold, and why."""
LIBRARIES = ("numpy", "scipy", "numba", "pyarrow", "randomgen", "pandas")


def build_contents(
    sources: Sources, audience: str, pictures: Sequence[Picture] = ()
) -> dict[str, Any]:
    """All that the page says; pictures by their titles and descriptions."""
    return to_plain(
        {
            "format": FORMAT,
            "audience": audience,
            "title": sources.title or TITLES[require_audience(audience)],
            **AUDIENCES[audience](sources),
            "pictures": [picture.to_dict() for picture in pictures],
            "provenance": _provenance(sources, audience),
        }
    )


def require_audience(
    audience: str, spell: Callable[[str], str] = "`{}`".format, **given: object
) -> str:
    """The audience, if there is such a one, and if what is `given` is for it."""
    if audience not in AUDIENCES:
        raise ParameterError(
            f"report: no audience {audience!r}{did_you_mean(str(audience), AUDIENCES)} "
            f"There are {' and '.join(AUDIENCES)}."
        )
    for name, why in INSIDE.items():
        if audience == "public" and given.get(name):
            raise UsageError(
                f"report: {spell(name)} {why}. Leave it out of a report for the public."
            )
    return audience


def _provenance(sources: Sources, audience: str) -> dict[str, Any]:
    facts = {
        "date": datetime.now(UTC).date().isoformat(),
        "swapmeet": __version__,
        "checksum": sources.checksum,
    }
    return facts if audience == "public" else {**facts, "versions": _versions()}


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def to_plain(value: Any) -> Any:
    """The value as JSON holds it; a number that is none is null.

    >>> to_plain({"a": (1.0, float("nan")), "b": {"c": True}})
    {'a': [1.0, None], 'b': {'c': True}}
    """
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
