"""How near a released record comes to the original one, over the known columns with numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures import MANY_COLUMNS, Undefined
from swapmeet.microdata import LARGEST
from swapmeet.risk.linkage import of_1000

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.measures import Comparison

    Floats = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

WIDTHS = np.arange(1, 11) / 100.0
"""Half the widths of the intervals of RID and SDID: 1 % to 10 % of the ranks, or of the sd."""
ROUNDING = 1e-11
HARDLY = 1e-5
BLIND_SAMPLE = 20_000


@dataclass(frozen=True, repr=False, eq=False)
class Numbers:
    """The known columns with numbers, in the original and in the release: (columns, rows).

    NaN is missing. `unit` is the length that distances in a column are measured in.
    """

    names: tuple[str, ...]
    original: Floats
    released: Floats
    unit: Floats
    nominal: int

    def __repr__(self) -> str:
        return f"<Numbers of {len(self.names)} columns>"

    def of(self, rows: Rows) -> Numbers:
        """Some original records, and all released ones."""
        return replace(self, original=self.original[:, rows])

    @property
    def told(self) -> str:
        """The columns in words; many are counted rather than named."""
        if len(self.names) > MANY_COLUMNS:
            return f"all of {len(self.names)} columns"
        *others, last = self.names
        return f"all of {', '.join(others)} and {last}" if others else last

    @property
    def details(self) -> dict[str, int]:
        """What was looked at."""
        return {"columns": len(self.names), "nominal columns left out": self.nominal}


def values(comparison: Comparison) -> Numbers:
    """The values; a unit is the standard deviation of the released column."""
    numbers = _known(comparison)
    _refuse_infinite(numbers)
    deviations = [standard_deviation(column) for column in numbers.released]
    return replace(numbers, unit=np.array(deviations))


def ranks(comparison: Comparison) -> Numbers:
    """The ranks of the values in their file, as a share of the rows; ties have their mean rank."""
    numbers = _known(comparison)
    one, other = _ranks(numbers.original), _ranks(numbers.released)
    return replace(numbers, original=one, released=other)


def _known(comparison: Comparison) -> Numbers:
    names = tuple(name for name in comparison.known if name in comparison.numeric)
    if not names:
        raise Undefined("the intruder knows no column with numbers")
    places = [comparison.numeric.index(name) for name in names]
    original, released = (np.ascontiguousarray(data[:, places].T) for data in comparison.numbers)
    return Numbers(
        names, original, released, np.ones(len(names)), len(comparison.known) - len(names)
    )


def _refuse_infinite(numbers: Numbers) -> None:
    """Infinite numbers have no distance, and those whose squares overflow no deviation."""
    for name, *both in zip(numbers.names, numbers.original, numbers.released, strict=True):
        if any((np.abs(column) > LARGEST).any() for column in both):
            raise Undefined(f"{name} holds infinite numbers, or some beyond {LARGEST:.0e}")


def standard_deviation(column: Floats) -> float:
    """With divisor n - 1, of the values that are there; exactly 0 where they are all equal."""
    present = column[~np.isnan(column)]
    return float(present.std(ddof=1)) if present.size and np.ptp(present) > 0.0 else 0.0


def _ranks(columns: Floats) -> Floats:
    from scipy.stats import rankdata

    shares = np.full_like(columns, np.nan)
    for share, column in zip(shares, columns, strict=True):
        present = ~np.isnan(column)
        share[present] = (rankdata(column[present]) - 0.5) / max(present.sum(), 1)
    return shares


def farthest(numbers: Numbers, partners: Rows | None = None) -> Floats:
    """For each original record, how far it is from its released one, in the farthest column.

    Columns in which either value is missing do not count; without any other the distance is
    infinite. `partners` are the released rows, if not those of the same number.
    """
    worst = np.full(numbers.original.shape[1], -1.0)
    for one, other, unit in zip(numbers.original, numbers.released, numbers.unit, strict=True):
        away = np.abs(one - (other if partners is None else other[partners]))
        np.fmax(worst, _measured(away, unit), out=worst)
    return np.where(worst < 0.0, np.inf, worst)


def _measured(away: Floats, unit: float) -> Floats:
    if unit == 0.0:
        return np.where(away > 0.0, np.inf, away)
    with np.errstate(over="ignore"):
        return away / unit


def share_of_widths(distance: Floats) -> Floats:
    """For each record, the share of the ten intervals that hold it."""
    first = np.ceil(100.0 * (distance - ROUNDING))
    return np.clip((len(WIDTHS) + 1.0 - first) / len(WIDTHS), 0.0, 1.0)


def by_width(distance: Floats) -> dict[str, float]:
    """The share of the records that each interval holds."""
    return {
        f"share within {width:.0%}": float((distance <= width + ROUNDING).mean())
        for width in WIDTHS
    }


def few(share: float) -> str:
    """A share, perhaps a tiny one, as so many of 1,000.

    >>> few(0.012), few(1e-9)
    ('12 of 1,000', 'hardly anyone')
    """
    return of_1000(share) if share >= HARDLY else "hardly anyone"


def blind(numbers: Numbers, widths: Floats = WIDTHS, but: str | None = None) -> float:
    """What columns that are each shuffled at random would give: the mean over the widths.

    `but` names a column that is not shuffled but paired in order.
    """
    chance = np.ones(len(widths))
    for name, one, other, unit in zip(
        numbers.names, numbers.original, numbers.released, numbers.unit, strict=True
    ):
        if name != but:
            chance *= _chance(one, other, unit * (widths + ROUNDING))
    return float(chance.mean())


def _chance(one: Floats, other: Floats, reach: Floats) -> Floats:
    """The share of all pairs of an original and a released value that are so near; a sample."""
    ordered = np.sort(one[~np.isnan(one)])
    ordered = ordered[:: -(-len(ordered) // BLIND_SAMPLE) or 1]
    others = np.sort(other[~np.isnan(other)])
    if not len(ordered) or not len(others):
        return np.ones(len(reach))
    near = [
        np.searchsorted(others, ordered + r, "right") - np.searchsorted(others, ordered - r, "left")
        for r in reach
    ]
    return np.array([count.mean() / len(others) for count in near])
