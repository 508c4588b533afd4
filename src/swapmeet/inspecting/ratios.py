"""Columns that are products and quotients of two others: bmi = weight / height ** 2.

A power of ten may stand before them (centimetres for metres). They are found in a few rows, and
checked in all, up to the digits that the column shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.inspecting.finding import Finding, write_derivation
from swapmeet.inspecting.sums import write_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy.typing as npt

    from swapmeet.inspecting.columns import Columns

    Floats = npt.NDArray[np.float64]

POWERS = (1, -1, -2)
FEWEST = 20
"""Fewer rows, or distinct values, tell nothing."""
LOOKED_AT = 60
MOST_COLUMNS = 60
"""Of more columns only the first are tried."""
ROUGH = 0.01
"""So far off may a rounded value be in the rows that are looked at first."""
DIGITS = 6
WHOLE = 2.0**53
"""Doubles from here on have no decimals."""
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

    def compute(self, columns: Columns) -> Floats:
        """The values that it gives."""
        one, other = columns.numbers(self.one), columns.numbers(self.other)
        with np.errstate(all="ignore"):
            return np.asarray(one * other ** float(self.power) * 10.0**self.shift)


def find_ratios(columns: Columns, leave_out: Collection[str]) -> Iterator[Finding]:
    """Products and quotients that hold in all rows, each column computed once."""
    names = columns.list_quantities(leave_out)[:MOST_COLUMNS]
    used: set[str] = set()
    for ratio in _look_at_few(columns, names):
        if {ratio.target, ratio.one, ratio.other} & used:
            continue
        rows = _count_rows(columns, ratio)
        if rows >= FEWEST:
            used |= {ratio.target, ratio.one, ratio.other}
            yield Finding(
                about=ratio.write(),
                columns=(ratio.target, ratio.one, ratio.other),
                reason=f"in all {rows:,} rows that have them, up to rounding",
                rows=rows,
                options=write_derivation(ratio.write(), [ratio.target, ratio.one, ratio.other]),
            )


def _look_at_few(columns: Columns, names: list[str]) -> Iterator[Ratio]:
    """What a few rows allow; fractions are taken for computed before whole numbers are."""
    numbers = np.array([columns.numbers(name)[columns.sample] for name in names])
    if len(numbers) < 3:
        return
    there = np.flatnonzero((np.isfinite(numbers) & (numbers > 0.0)).all(axis=0))[:LOOKED_AT]
    if len(there) < FEWEST:
        return
    logs = np.log10(numbers[:, there])
    decimals = [_count_decimals(some) for some in numbers]
    pairs = permutations(range(len(names)), 2)
    found = [
        fit
        for one, other in pairs
        for power in POWERS
        if power < 0 or one < other
        for fit in _fit_targets(logs, one, other, power)
    ]
    found.sort(key=lambda one: (-(decimals[one[0]] or 0), abs(one[3]), abs(one[4])))
    for target, one, other, power, shift in found:
        yield Ratio(names[target], names[one], names[other], power, shift)


def _fit_targets(
    logs: Floats, one: int, other: int, power: int
) -> list[tuple[int, int, int, int, int]]:
    """The columns that a product is, up to a power of ten and rounding."""
    rest = logs - logs[one] - power * logs[other]
    shifts = np.rint(rest.mean(axis=1))
    fits = (np.abs(rest - shifts[:, None]).max(axis=1) <= ROUGH) & (np.abs(shifts) <= DIGITS)
    fits[[one, other]] = False
    return [(at, one, other, power, int(shifts[at])) for at in np.flatnonzero(fits).tolist()]


def _count_decimals(numbers: Floats) -> int | None:
    """The decimals of all numbers, up to some; very large doubles have none."""
    there = numbers[np.abs(numbers) < WHOLE]
    for digits in range(DIGITS + 1):
        shifted = there * 10.0**digits
        if np.abs(shifted - np.rint(shifted)).max(initial=0.0) <= 1e-6 * 10.0 ** (digits / 2):
            return digits
    return None


def _count_rows(columns: Columns, ratio: Ratio) -> int:
    """How many rows bear it out; 0 if one does not, or if the column says too little."""
    target, given = columns.numbers(ratio.target), ratio.compute(columns)
    there = ~np.isnan(target) & ~np.isnan(given)
    decimals = _count_decimals(target)
    unit = 0.0 if decimals is None else 10.0**-decimals
    typical = float(np.median(np.abs(target[there]))) if there.any() else 0.0
    if typical < FINE * unit or columns.distinct(ratio.target) < FEWEST:
        return 0
    room = 0.5 * unit * (1.0 + 1e-6) + 1e-9 * np.abs(target[there])
    held = np.abs(target[there] - given[there]) <= room
    return int(there.sum()) if held.all() else 0
