"""What became of the most extreme records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.intervals import of_share
from swapmeet.measures import CONFIDENCE, Comparison, Measure, Score, Undefined
from swapmeet.params import Count
from swapmeet.risk.linkage import links_of_originals
from swapmeet.risk.robust import robust_scatter
from swapmeet.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

LARGEST_SEARCH = 20_000
"""Of more rows, the robust centre and spread are those of a random sample of so many."""


@dataclass(frozen=True, kw_only=True)
class Outliers(Measure):
    """The share of the most extreme people whom an intruder finds as PSCR does.

    Extreme is who is farthest from the centre in robust Mahalanobis distance over the known columns
    with numbers; where half of the records lie on a plane, so that there is no robust one, ordinary
    covariances take its place. A missing value counts as the column's median. Details: how far the
    most extreme records are out before and after, and how many of them still are among the most
    extreme of the release.
    """

    name: ClassVar[str] = "outliers"
    question: ClassVar[str] = "How many of the most extreme people are still found?"

    count: Annotated[int, Count(1), "so many people are the most extreme ones"] = 20

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        names = [n for n in comparison.known if comparison.original[n].kind is not Kind.NOMINAL]
        before, after = (
            _filled(np.stack([data[n].values for n in names], axis=1) if names else None)
            for data in (comparison.original, comparison.released)
        )
        measure_from, basis = _ruler(before, names, comparison)
        distances, released = measure_from(before), measure_from(after)
        count = min(self.count, comparison.n)
        extreme = np.sort(np.argsort(-distances, kind="stable")[:count])
        found = links_of_originals(comparison, extreme).found
        still = np.isin(extreme, np.argsort(-released, kind="stable")[:count])
        sentence = (
            f"Of the {count} most extreme people an intruder who knows {comparison.what_is_known} "
            f"finds {found.sum():.3g}; the released records of {still.sum()} of them are among the "
            f"{count} most extreme of the release."
        )
        return self.scored(
            found.mean(),
            sentence,
            interval=of_share(float(found.sum()), count, CONFIDENCE),
            details={
                "distance": basis,
                "median distance of the extreme before": float(np.median(distances[extreme])),
                "median distance of the extreme after": float(np.median(released[extreme])),
                "still among the most extreme": int(still.sum()),
            },
        )


def _filled(values: Floats | None) -> Floats:
    """Missing values replaced by the median of their column."""
    if values is None:
        raise Undefined("no known column has numbers")
    if np.isnan(values).all(axis=0).any():
        raise Undefined("a known column has no values")
    return np.where(np.isnan(values), np.nanmedian(values, axis=0), values)


def _ruler(
    values: Floats, names: list[str], comparison: Comparison
) -> tuple[Callable[[Floats], Floats], str]:
    """A function that tells how far rows are out, and what it is called."""
    spread = values.std(axis=0)
    if not (spread > 0).any():
        raise Undefined("the known columns with numbers are constant")
    centre, scale = values.mean(axis=0), np.where(spread > 0, spread, 1.0)
    standard = (values - centre) / scale
    stream = comparison.streams.stream("outliers")
    sample = stream.permutation(len(standard))[:LARGEST_SEARCH]
    try:
        scatter = robust_scatter(standard[np.sort(sample)], names, stream)
    except Undefined:
        inverse = np.linalg.pinv(np.atleast_2d(np.cov(standard.T)), hermitian=True)
        return (lambda rows: _mahalanobis((rows - centre) / scale, inverse)), "ordinary"
    return (lambda rows: scatter.distances((rows - centre) / scale, scatter.centre)), "robust"


def _mahalanobis(rows: Floats, inverse: Floats) -> Floats:
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", rows, inverse, rows), 0.0))
