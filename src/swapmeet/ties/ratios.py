"""Columns that are products and quotients of two others: bmi = weight / height ** 2.

A power of ten may stand before them (centimetres for metres). They are found in a few rows, and
checked in all, up to the digits that the columns show. Some rows may be exceptions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from swapmeet.base.arrays import Flags, Floats
from swapmeet.ties.finding import ColumnView, Finding, Tie, write_derivation
from swapmeet.ties.sums import Held, write_name

POWERS = (1, -1, -2)
FEWEST = 20
"""Fewer rows, or distinct values, tell nothing."""
LOOKED_AT = 60
MOST_COLUMNS = 60
"""Of more columns only the first are tried."""
ROUGH = 0.01
"""So far off may a rounded value be in the rows that are looked at first."""
MOST_POWER = 6
"""Of ten, before the product."""
MOSTLY = 0.9
"""A ratio holds in at least this share of the rows."""
FINE = 50
"""Values are this many times what they are rounded to, typically: otherwise they say little."""


@dataclass(frozen=True)
class Ratio:
    """That `target` is `one` times a power of `other`, times ten to the `shift`."""

    target: str
    one: str
    other: str
    power: int
    shift: int

    def write(self) -> str:
        """As a derivation.

        >>> Ratio("bmi", "kg", "cm", -2, 4).write()
        'bmi = 10000 * kg / cm ** 2'
        """
        front = {True: f"{10**self.shift} * "}.get(self.shift > 0, "")
        behind = f" / {10**-self.shift}" if self.shift < 0 else ""
        sign = "*" if self.power > 0 else "/"
        square = " ** 2" if abs(self.power) == 2 else ""
        one, other = write_name(self.one), write_name(self.other)
        return f"{write_name(self.target)} = {front}{one} {sign} {other}{square}{behind}"

    def compute(self, columns: ColumnView) -> Floats:
        """The values that it gives."""
        one, other = columns.numbers(self.one), columns.numbers(self.other)
        with np.errstate(all="ignore"):
            return np.asarray(one * other ** float(self.power) * 10.0**self.shift)

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:
        """The rows in which it holds up to the digits that the original shows."""
        off, exact, room = _compare(columns, self, original)
        before, exact_before, _ = _compare(original, self, original)
        allowed = exact if _is_plain(before, exact_before) else room
        return int((off <= allowed).sum()), len(off)


def find_ratios(columns: ColumnView, leave_out: Collection[str]) -> Iterator[Finding]:
    """Products and quotients that hold in nearly all rows, each column computed once."""
    names = columns.list_quantities(leave_out)[:MOST_COLUMNS]
    used: set[str] = set()
    for ratio in _look_at_few(columns, names):
        if {ratio.target, ratio.one, ratio.other} & used:
            continue
        held = _count_rows(columns, ratio)
        if held is not None and (held.is_complete or columns.can_have_rest(ratio.target)):
            parts = [ratio.target, ratio.one, ratio.other]
            used |= {*parts}
            yield Finding(
                about=ratio.write(),
                columns=tuple(parts),
                reason=f"{held.reason}{', up to rounding' if held.is_complete else ''}",
                rows=held.exactly,
                options=write_derivation(
                    ratio.write(), parts, nearly=not held.is_complete, beside=columns.all_names
                ),
                ties=(Tie(ratio.write(), ratio),),
            )


def _look_at_few(columns: ColumnView, names: list[str]) -> Iterator[Ratio]:
    """List what a few rows allow; fractions are tried as results before whole numbers."""
    numbers = np.array([columns.numbers(name)[columns.sample] for name in names])
    if len(numbers) < 3:
        return
    there = np.flatnonzero((np.isfinite(numbers) & (numbers > 0.0)).all(axis=0))[:LOOKED_AT]
    if len(there) < FEWEST:
        return
    logs = np.log10(numbers[:, there])
    units = [columns.unit(name) or np.inf for name in names]
    pairs = permutations(range(len(names)), 2)
    fits = [
        fit
        for one, other in pairs
        for power in POWERS
        if power < 0 or one < other
        for fit in _fit_targets(logs, one, other, power)
    ]
    fits.sort(key=lambda one: (units[one[0]], abs(one[3]), abs(one[4])))
    for target, one, other, power, shift in fits:
        yield Ratio(names[target], names[one], names[other], power, shift)


def _fit_targets(
    logs: Floats, one: int, other: int, power: int
) -> list[tuple[int, int, int, int, int]]:
    """The columns that a product is, up to a power of ten and rounding."""
    rest = logs - logs[one] - power * logs[other]
    shifts = np.rint(np.median(rest, axis=1))
    close = np.abs(rest - shifts[:, None]) <= ROUGH
    fits = (close.mean(axis=1) >= MOSTLY - 0.1) & (np.abs(shifts) <= MOST_POWER)
    fits[[one, other]] = False
    return [(at, one, other, power, int(shifts[at])) for at in np.flatnonzero(fits).tolist()]


def _count_rows(columns: ColumnView, ratio: Ratio) -> Held | None:
    """Count the rows that confirm it; None if too few do, or if the columns say too little."""
    off, exact, room = _compare(columns, ratio, columns)
    there = _find_rows(columns, ratio)
    target = columns.numbers(ratio.target)[there]
    unit = columns.unit(ratio.target)
    typical = float(np.median(np.abs(target))) if len(target) else 0.0
    if typical < FINE * unit or columns.distinct(ratio.target) < FEWEST:
        return None
    room = exact if _is_plain(off, exact) else room
    held = Held(int((off <= exact).sum()), int((off <= room).sum()), len(target))
    few = held.nearly < max(FEWEST, MOSTLY * len(target)) or typical < FINE * np.median(room)
    if few or _is_one_enough(columns, ratio, target, there, room, held.nearly):
        return None
    return held._replace(room=float(f"{np.median(room):.1g}"))


def _compare(
    columns: ColumnView, ratio: Ratio, original: ColumnView
) -> tuple[Floats, Floats, Floats]:
    """Compare rows: how far off they are, and how far off rounding may bring them.

    What values are rounded to is seen in the original.
    """
    there = _find_rows(columns, ratio)
    target, given = columns.numbers(ratio.target)[there], ratio.compute(columns)[there]
    exact = 0.5 * original.unit(ratio.target) * (1.0 + 1e-6) + 1e-9 * np.abs(target)
    with np.errstate(all="ignore"):
        shares = [
            0.5 * original.unit(name) * power / np.abs(columns.numbers(name)[there])
            for name, power in ((ratio.one, 1), (ratio.other, abs(ratio.power)))
        ]
    share = np.nan_to_num(shares[0] + shares[1], posinf=0.0)
    return np.abs(target - given), exact, exact + np.abs(target) * share


def _find_rows(columns: ColumnView, ratio: Ratio) -> Flags:
    """The rows that have all values."""
    return ~np.isnan(columns.numbers(ratio.target)) & ~np.isnan(ratio.compute(columns))


def _is_plain(off: Floats, exact: Floats) -> bool:
    """Return whether nearly all rows are as near as rounding of the column itself leaves them."""
    return bool((off <= exact).sum() >= MOSTLY * len(off))


def _is_one_enough(
    columns: ColumnView, ratio: Ratio, target: Floats, there: Flags, room: Floats, held: int
) -> bool:
    """Return whether the column is a constant times one of the factors in most of these rows."""
    one, other = columns.numbers(ratio.one)[there], columns.numbers(ratio.other)[there]
    with np.errstate(all="ignore"):
        factors = one, other ** float(ratio.power)
        fits = [np.abs(target - f * np.nanmedian(target / f)) <= room for f in factors]
    return any(int(fit.sum()) > 0.5 * held for fit in fits)
