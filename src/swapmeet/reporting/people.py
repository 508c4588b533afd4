"""Sentences for the people in the data about their values, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.comparison.comparison import Ownership
from swapmeet.measures.side_by_side.facts import ColumnFacts, Extent, ReleaseFacts
from swapmeet.reporting.figures import NOBODY, describe_people, name_columns, quote
from swapmeet.tables.schema import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from swapmeet.reporting.sources import Sources

PROTECTED = (
    "Before publication it was checked who might still be found. For those people more was done, "
    "as far as the data allowed. Their values, and some of other people's, were exchanged again "
    "over a greater distance, or left out. For them, the rule of the method was only the first "
    "step."
)
"""Words for protection that was raised for single people, without how many or who."""
CANDOUR = (
    "No protection of data is perfect: someone who already knows much about you might still find "
    "your record, or guess something right."
)
"""For the people in the data, whatever was done."""
UNMEASURED = "What became of your values was not measured for this page."
NO_OWNERS = (
    "It was not known which published row belongs to whom, so nobody checked how far the published "
    "values differ from yours."
)
SYNTHETIC = "The published rows are new, and none of them is about one person in particular."
MIXED = "Your answers were mixed with those of {others} people before publication."
ALTERED = "Your answers were changed before publication."
UNTOUCHED = "No value was changed: all your values in this release are published as they are."

MANNERS = {
    Extent.HARDLY: "are published nearly as they are",
    Extent.PARTLY: "were changed for some people",
    Extent.MOSTLY: "were changed for half of the people or more",
}
CHANGED = (Extent.HARDLY, Extent.PARTLY, Extent.MOSTLY)
WHOLE_HOUSEHOLDS = (
    "This rule held among whole households of the same size; where there were too few of a size, "
    "among households for what their members share, and among people for everything else."
)
UNITS = {
    Role.HOUSEHOLD: "What all members of a household share moved once for all of them, by this "
    "rule among households.",
    Role.PERSON: "What is the same in all rows of a person moved once for all of them, by this "
    "rule among people.",
}
"""People or households among whom the rule of a method held, where rows belong together."""
AT_WORK = (Extent.PARTLY, Extent.MOSTLY, Extent.UNKNOWN)
"""Extents at which the rule of a method is worth a sentence: it had an effect, or may have."""


def write_to_people(sources: Sources) -> Iterator[str]:
    """Paragraphs for the people in the data."""
    yield from _open(sources)
    yield from _describe_values(sources)
    yield from _describe_rows(sources)
    yield from describe_rule(sources)
    yield from _describe_units(sources)
    if sources.release and sources.release.protects:
        yield PROTECTED
    left_out = sum(column.role is Role.DROP for column in sources.columns)
    if left_out:
        yield (
            "1 column of the original was left out."
            if left_out == 1
            else f"{left_out} columns of the original were left out."
        )
    yield CANDOUR


def _open(sources: Sources) -> Iterator[str]:
    """Say in one sentence what was done; nothing where it is not known, or nothing was done."""
    method, facts = sources.method, sources.facts
    if method is None or facts is None or not facts.having(*AT_WORK) or method.is_synthetic:
        return
    if method.makes_values:
        yield ALTERED
    else:
        is_near = method.neighborhood is not None or method.grouping is not None
        yield MIXED.format(others="similar" if is_near else "other")


def _describe_values(sources: Sources) -> Iterator[str]:
    """Describe what became of each group of columns."""
    facts = sources.facts
    if facts is None:
        yield UNMEASURED
    elif all(column.extent is Extent.EXACT for column in facts.columns):
        yield UNTOUCHED
        return
    elif facts.having(Extent.UNKNOWN):
        synthetic = sources.card and sources.card.ownership is Ownership.NOBODY
        yield SYNTHETIC if synthetic else NO_OWNERS
    units = sources.list_units()
    if units and sources.method is not None:
        yield f"The numbers in {name_columns(units)} were replaced at random."
    plain = sources.list_exact()
    if plain:
        yield f"Your values of {name_columns(plain)} are published as they are."
    if facts is not None:
        for extent, what in MANNERS.items():
            yield from _describe_group(facts, extent, what)
        yield from _describe_removed(facts)


def _describe_group(facts: ReleaseFacts, extent: Extent, what: str) -> Iterator[str]:
    """Columns that changed about as much, with for how many people."""
    columns = facts.having(extent)
    if columns:
        span = _describe_span(columns, _get_changed)
        have = "has" if span == NOBODY else "have"
        yield (
            f"Your values of {_name(columns, facts)} {what}. {_capitalize(span)} {have} a clearly "
            "different published value."
        )


def _describe_removed(facts: ReleaseFacts) -> Iterator[str]:
    """Values that were there and are missing now."""
    gone = [column for column in facts.columns if column.suppressed]
    if gone:
        yield (
            f"For {_describe_span(gone, _get_suppressed)}, {_name(gone, facts)} "
            f"{'is' if len(gone) == 1 else 'are'} blank although they answered."
        )


def _describe_span(columns: Sequence[ColumnFacts], share: Callable[[ColumnFacts], float]) -> str:
    """For how many people, from the column with the lowest share to the one with the highest."""
    ordered = sorted(columns, key=share)
    least, most = (describe_people(share(one)) for one in (ordered[0], ordered[-1]))
    if least == most:
        return most
    return f"{least} ({quote(ordered[0].name)}) to {most} ({quote(ordered[-1].name)})"


def _name(columns: Sequence[ColumnFacts], facts: ReleaseFacts) -> str:
    return name_columns([column.name for column in columns], len(facts.columns))


def _get_changed(column: ColumnFacts) -> float:
    return column.clearly_changed or 0.0


def _get_suppressed(column: ColumnFacts) -> float:
    return column.suppressed or 0.0


def _describe_rows(sources: Sources) -> Iterator[str]:
    """For how many people the whole row is their own, where some column changed."""
    facts = sources.facts
    if facts is None or facts.same_rows is None or not facts.having(*CHANGED):
        return
    if facts.same_rows == 0.0:
        yield "No published row is identical, or nearly identical, to a person's own."
    else:
        yield (
            f"For {describe_people(facts.same_rows)} the whole published row is identical, or "
            "nearly identical, to their own."
        )


def describe_rule(sources: Sources) -> Iterator[str]:
    """Describe the rule by which values were masked, for the columns that it changed."""
    method = sources.method
    if method is None:
        return
    if not method.submethods:
        if method.description.people and _is_at_work(sources, None):
            yield f"How values were masked: {_lower(method.description.people)}"
        return
    for part, columns in method.submethods:
        if part.description.people and _is_at_work(sources, columns):
            yield (
                f"How values of {name_columns(columns)} were masked: "
                f"{_lower(part.description.people)}"
            )


def _describe_units(sources: Sources) -> Iterator[str]:
    """Among whom the rule held, where rows belong to households or persons."""
    method = sources.method
    if method is None or method.moves_units or not _is_at_work(sources, None):
        return
    if any(column.whole for column in sources.columns):
        yield WHOLE_HOUSEHOLDS
        return
    roles = {column.role for column in sources.columns}
    yield from (words for role, words in UNITS.items() if role in roles)


def _is_at_work(sources: Sources, names: Sequence[str] | None) -> bool:
    """Return whether masking changed some of these columns, as far as is known; None are all."""
    facts = sources.facts
    if facts is None:
        return True
    return any(names is None or c.name in names for c in facts.having(*AT_WORK))


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _capitalize(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
