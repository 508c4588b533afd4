"""Linking records by distance: what PSCR, DBRL and DCR share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.encode import Encoding, Scale
from swapmeet.intervals import of_share
from swapmeet.measures import CONFIDENCE, Undefined

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.encode import Points
    from swapmeet.measures import Comparison
    from swapmeet.neighbors.link import Links

    Rows = npt.NDArray[np.int64]


def released_from_originals(comparison: Comparison) -> tuple[Links, Rows]:
    """From original records to the released ones, in the unit encoding of the original."""
    original, released = _points(comparison, Scale.UNIT, each_by_its_own=False)
    return _links(comparison, original, released)


def released_from_raw_originals(comparison: Comparison) -> tuple[Links, Rows]:
    """From original records to the released ones, columns in their own units."""
    original, released = _points(comparison, Scale.RAW, each_by_its_own=False)
    return _links(comparison, original, released)


def links_of_originals(comparison: Comparison, rows: Rows) -> Links:
    """Links of some original records, as `released_from_originals` has them for all."""
    from swapmeet.neighbors.link import nearest_links

    original, released = _points(comparison, Scale.UNIT, each_by_its_own=False)
    return nearest_links(original.of(rows), released, rows, comparison.workers)


def originals_from_released(comparison: Comparison) -> tuple[Links, Rows]:
    """From released records to the original ones, each file scaled by its own mean and sd."""
    original, released = comparison.once(standard_points)
    return _links(comparison, released, original)


def standard_points(comparison: Comparison) -> tuple[Points, Points]:
    """Original and released records, each file scaled by its own mean and sd."""
    return _points(comparison, Scale.ZSCORE, each_by_its_own=True)


def _points(
    comparison: Comparison, scale: Scale, *, each_by_its_own: bool
) -> tuple[Points, Points]:
    one, other = (
        data.select(comparison.known) for data in (comparison.original, comparison.released)
    )
    points = Encoding.of_both(one, other, scale, each_by_its_own=each_by_its_own)
    if not len(points[0].numbers) + len(points[0].codes):
        raise Undefined("all records are alike in what the intruder knows")
    return points


def _links(comparison: Comparison, queries: Points, targets: Points) -> tuple[Links, Rows]:
    """Links of all queries, or of a random sample of them; and which rows these are."""
    from swapmeet.neighbors.link import nearest_links

    rows = sampled(comparison, queries.n)
    own = rows if comparison.owners_known else np.full(len(rows), -1)
    return nearest_links(queries.of(rows), targets, own, comparison.workers), rows


def sampled(comparison: Comparison, n: int) -> Rows:
    """The rows that are looked at."""
    if comparison.at_most is None or n <= comparison.at_most:
        return np.arange(n)
    chosen = comparison.streams.stream("sample").permutation(n)[: comparison.at_most]
    return np.sort(chosen)


def share_of_links(links: Links) -> tuple[float, tuple[float, float]]:
    """The share of queries that find their own, with its interval."""
    total = len(links.found)
    hits = float(links.found.sum())
    return hits / total, of_share(hits, total, CONFIDENCE)


def of_1000(share: float, *, bare: bool = False) -> str:
    """A share as so many of 1,000.

    >>> of_1000(0.0124), of_1000(0.0124, bare=True), of_1000(0.0001)
    ('12 of 1,000', '12', '0.1 of 1,000')
    """
    many = 1000 * share
    number = f"{many:.0f}" if many >= 1 or many == 0 else f"{many:.1g}"
    return number if bare else f"{number} of 1,000"


def blind(comparison: Comparison) -> str:
    """What guessing without looking would give."""
    return f"a blind guess would be right for {of_1000(1 / comparison.n)}"
