"""Sentences for people who analyse a release, from its own figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.measures.side_by_side.facts import Extent
from swapmeet.reporting.figures import describe_change, describe_part, name_columns, quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.measures.side_by_side.facts import ColumnFacts, CorrelationChange, ReleaseFacts
    from swapmeet.reporting.sources import Sources

NOTICEABLE = 0.005
"""A standard deviation, or the mean size of correlations, that differs by less is the same."""
UNMEASURED = "How far this release differs from the original was not measured for this page."
ALL_EXACT = "All columns are exact: any analysis finds what it would find in the original."
NO_COVERAGE = (
    "It was not measured how far standard errors, p-values and confidence intervals of this "
    "release can be trusted. Usual software does not know about the masking. Before you rely "
    "on them, ask the publisher of the data to measure it."
)
OTHER_MODELS = "Standard errors and intervals of other models were not examined."
SMALL_GROUPS = (
    "The fewer rows a figure about {columns} rests on, the less reliable it is. The changes of "
    "single rows even out over many of them only."
)
PER_UNIT = (
    "Values that all rows of a household or person share moved once for all of them. What follows "
    "is true of such columns with one row for each. Counted by rows, frequencies can differ, since "
    "larger households trade with smaller ones."
)
NOT_DERIVED = "What follows is not about {columns}, computed anew from other columns."
HANDS_OFF = "Do not try to find people in these data, and do not link rows with other sources."
SHOWN = 4
"""Of many columns so many are named whose spread shrank most, and so many that grew most."""
DIGITS = 2
"""What the public sees of a correlation."""
SIZE_DIGITS = 3
"""... and of their mean size, whose change has the sign that the measure `correlations` tells."""
MIXED_ROWS = 1.0
"""At so many values of a row, on average, that are not the person's own it is worth a word."""


def write_to_analysts(sources: Sources) -> Iterator[str]:
    """Write what analysts should know, each sentence from the figures of the release."""
    facts = sources.facts
    if facts is None:
        yield UNMEASURED
        yield from _describe_rules(sources)
        yield from _describe_coverage(sources)
    elif all(column.extent is Extent.EXACT for column in facts.columns):
        yield ALL_EXACT
    else:
        yield from _describe_columns(sources, facts)
        yield from _describe_rules(sources)
        yield from describe_ties(sources)
        yield from _describe_missing(facts)
        yield from _describe_coverage(sources)
        yield from _describe_small_groups(sources, facts)
    yield from _describe_rows(facts)


def _describe_columns(sources: Sources, facts: ReleaseFacts) -> Iterator[str]:
    exact = sources.list_exact()
    if len(exact) == 1:
        yield f"{quote(exact[0])} is exact."
    elif exact:
        yield f"{name_columns(exact)} are exact, and so are their relations to one another."
    units = sources.list_units()
    if units and sources.method is not None:
        yield (
            f"The numbers in {name_columns(units)} were replaced at random. They show which rows "
            "belong together, as in the original, and nothing else."
        )
    hardly = facts.having(Extent.HARDLY)
    if hardly:
        aside = ", suppressed values aside" if any(column.suppressed for column in hardly) else ""
        names = name_columns([column.name for column in hardly])
        yield f"{names}: clearly different values in fewer than 1 in 100 rows{aside}."
    yield from describe_spread(facts)
    if facts.correlations:
        yield from describe_correlations(facts.correlations)


def describe_spread(facts: ReleaseFacts) -> Iterator[str]:
    """The signed change of the standard deviations of masked numbers; exact ones have none."""
    loose = [c for c in facts.columns if c.masked and c.extent is not Extent.EXACT]
    ratios = {c.name: c.spread for c in loose if c.spread is not None}
    changed = {n: ratio for n, ratio in ratios.items() if abs(ratio - 1.0) >= NOTICEABLE}
    if not ratios:
        return
    if not changed:
        yield "The standard deviation of each masked number is that of the original, within 1 %."
        return
    listed = sorted(changed, key=lambda name: changed[name])
    few = listed if len(listed) <= 2 * SHOWN else [*listed[:SHOWN], *listed[-SHOWN:]]
    texts = [f"{quote(name)} {describe_change(changed[name])}" for name in few]
    if len(few) < len(listed):
        texts.append(f"{len(listed) - len(few)} others between these")
    if len(changed) < len(ratios):
        texts.append("all others the same within 1 %")
    yield f"Standard deviations in the release: {', '.join(texts)}."


def describe_correlations(change: CorrelationChange) -> Iterator[str]:
    """Return whether correlations are weaker or stronger, and where they changed most."""
    before, after = round(change.size_before, SIZE_DIGITS), round(change.size_after, SIZE_DIGITS)
    if abs(change.after - change.before) < NOTICEABLE:
        yield "No correlation of two columns differs from that of the original by 0.005 or more."
        return
    trend = "weaker" if after < before else "stronger"
    if after == before:
        trend = "neither weaker nor stronger"
    first, second = map(quote, change.pair)
    yield (
        f"Correlations of two columns are {trend} on the whole: their mean size is {before:.3f} in "
        f"the original and {after:.3f} in the release. That of {first} and {second} changes most, "
        f"from {_round(change.before):.2f} to {_round(change.after):.2f}."
    )


def _round(correlation: float) -> float:
    """To what the public sees, without a sign before 0."""
    return round(correlation, DIGITS) + 0.0


def _describe_rules(sources: Sources) -> Iterator[str]:
    """Describe what follows from the rule of the method, whatever the data are."""
    method = sources.method
    if method is None:
        return
    if sources.list_units():
        yield PER_UNIT
    if sources.parents:
        yield NOT_DERIVED.format(columns=name_columns(list(sources.parents)))
    for part, columns in method.submethods:
        if part.description.analysts:
            yield f"{name_columns(columns)}: {part.description.analysts}"
    if method.description.analysts and len(method.submethods) != 1:
        yield method.description.analysts


def describe_ties(sources: Sources) -> Iterator[str]:
    """Columns that belong together or follow from others, and rules that every row obeys."""
    for names in sources.sets:
        yield f"{name_columns(names)} of a row come from one record: no combination of them is new."
    checks = sources.card.ties if sources.card else ()
    loose = {one.column for one in checks if one.released}
    for name, parents in sources.parents.items():
        if name not in loose:
            yield (
                f"{quote(name)} was computed anew from the published {name_columns(parents)}, and "
                "fits them in every row."
            )
    for one in checks:
        if one.column is None and not one.released:
            yield f"Every row obeys the rule: {one.text}."


def _describe_missing(facts: ReleaseFacts) -> Iterator[str]:
    """Missing values, where there are some and masking could move them."""
    holed = [c for c in facts.columns if c.masked and (c.missing_before or c.missing_after)]
    moved = [c.name for c in holed if c.suppressed]
    if moved:
        yield (
            f"Where {name_columns(moved, len(facts.columns))} "
            f"{'is' if len(moved) == 1 else 'are'} missing, the person behind the row may have "
            "answered."
        )
    more = [column for column in holed if _count_new_gaps(column) > 0.0]
    if more:
        worst = max(more, key=_count_new_gaps)
        yield (
            f"More values are missing than in the original, most of them of {quote(worst.name)}: "
            f"in {describe_part(worst.missing_after or 0.0)} rows, before in "
            f"{describe_part(worst.missing_before or 0.0)}."
        )


def _count_new_gaps(column: ColumnFacts) -> float:
    return (column.missing_after or 0.0) - (column.missing_before or 0.0)


def _describe_coverage(sources: Sources) -> Iterator[str]:
    """Describe how often intervals cover the truth, model by model, where it was measured."""
    coverage = sources.card.coverage if sources.card else ()
    yield from (one.sentence for one in coverage)
    yield OTHER_MODELS if any(not one.undefined for one in coverage) else NO_COVERAGE


def _describe_small_groups(sources: Sources, facts: ReleaseFacts) -> Iterator[str]:
    """Only where values of single rows are not those of the original."""
    exact = sources.list_exact()
    loose = [
        column.name
        for column in facts.having(Extent.PARTLY, Extent.MOSTLY, Extent.UNKNOWN)
        if column.name not in exact
    ]
    if loose:
        yield SMALL_GROUPS.format(columns=name_columns(loose, len(facts.columns)))


def _describe_rows(facts: ReleaseFacts | None) -> Iterator[str]:
    """Describe what a row is: not one person's only if the figures say so."""
    yield HANDS_OFF
    if facts is None or facts.same_rows is None:
        return
    differ = sum(column.clearly_changed or 0.0 for column in facts.columns)
    if differ >= MIXED_ROWS:
        yield (
            f"Of the {len(facts.columns)} values of a row, {differ:.0f} on average are clearly not "
            "those of the person behind it."
        )
    if facts.same_rows == 1.0:
        yield "Every row is identical, or nearly identical, to the record of the person behind it."
    elif facts.same_rows:
        yield (
            f"Of the rows, {describe_part(facts.same_rows)} are identical, or nearly identical, to "
            "the records of the people behind them."
        )
