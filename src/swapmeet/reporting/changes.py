"""Changes of each column for people who decide, in words and as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.sentences import join_names, percent
from swapmeet.measures.side_by_side.facts import Extent
from swapmeet.reporting.analysts import describe_correlations, describe_spread
from swapmeet.reporting.coarse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.core.release.changes import ColumnChange
    from swapmeet.measures.side_by_side.facts import ColumnFacts
    from swapmeet.reporting.sources import Sources

NO_COVERAGE = (
    "How often intervals that analysts compute from such a release cover the truth was not "
    "measured: name a model with --coverage (in Python `assess(coverage=[...])`)."
)
NOT_EXACT = (Extent.HARDLY, Extent.PARTLY, Extent.MOSTLY, Extent.UNKNOWN)
COUNTED = ("moved", "changed", "suppressed", "made")
COMPARED = ("clearly_changed", "missing_before", "missing_after", "spread")


def describe_release(sources: Sources) -> Iterator[str]:
    """Describe what became of the columns, the rows and their relations."""
    facts = sources.facts
    if facts is None:
        return
    for extent in (Extent.EXACT, Extent.HARDLY, Extent.PARTLY, Extent.MOSTLY):
        columns = facts.having(extent)
        if columns:
            yield f"{str(extent).capitalize()}: {join_names(quote(c.name) for c in columns)}."
    if facts.same_rows is not None:
        if facts.same_rows:
            share = percent(facts.same_rows)
            yield f"{share} of the rows are identical, or nearly identical, to their originals."
        else:
            yield "No row is identical, or nearly identical, to its original."
    yield from describe_spread(facts)
    if facts.correlations:
        yield from describe_correlations(facts.correlations)
    if sources.card and not sources.card.coverage and facts.having(*NOT_EXACT):
        yield NO_COVERAGE


def list_changes(sources: Sources) -> list[dict[str, Any]] | None:
    """List what became of each column: as compared, and as masking itself counted."""
    counted = {one.name: one for one in sources.release.changes} if sources.release else {}
    compared = {one.name: one for one in sources.facts.columns} if sources.facts else {}
    names = dict.fromkeys((*compared, *counted))
    return [_list_change(n, counted.get(n), compared.get(n)) for n in names] or None


def _list_change(
    name: str, counted: ColumnChange | None, compared: ColumnFacts | None
) -> dict[str, Any]:
    """One column; None is what is not known."""
    both = [asdict(one) for one in (counted, compared) if one is not None]
    known = {n: v for one in both for n, v in one.items() if v is not None}
    row = {field: known.get(field) for field in (*COUNTED, *COMPARED)}
    return {"name": name, **row, "extent": str(compared.extent) if compared else ""}
