"""Numbers along an axis: as few as have room, short, and whole where they count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

LETTER = 0.66
"""How wide a letter is, as a part of the height of the text."""
GAP = 5.0
"""Points between two labels, at least."""
MARK = 0.04
"""The part of an axis that a mark at its end takes."""
SIZE = 8.0
"""Height of labels along an axis, in points."""
SIZES = ((1e12, "tn"), (1e9, "bn"), (1e6, "M"), (1e4, "k"))
"""From where on, and how, large numbers are shortened; thousands from ten of them on."""
LARGEST, SMALLEST = 1e15, 1e-3
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def write_number(value: float) -> str:
    """A number in few letters; 1950 may be a year and has no comma.

    >>> [write_number(value) for value in (1950.0, 20_000.0, 2.5e6, -3e9, 0.25, 0.0)]
    ['1950', '20k', '2.5M', '−3bn', '0.25', '0']
    >>> write_number(2e-9), write_number(5e20)
    ('2×10⁻⁹', '5×10²⁰')
    """
    size = abs(value)
    text = _write_power(size) if size >= LARGEST or 0.0 < size < SMALLEST else _write_plain(size)
    return f"−{text}" if value < 0.0 else text


def _write_power(size: float) -> str:
    digits, _, power = f"{size:.4e}".partition("e")
    digits = digits.rstrip("0").rstrip(".")
    raised = f"10{str(int(power)).translate(RAISED)}"
    return raised if digits == "1" else f"{digits}×{raised}"


def _write_plain(size: float) -> str:
    for least, letter in SIZES:
        if size >= least:
            unit = 1e3 if letter == "k" else least
            return f"{size / unit:.6g}{letter}"
    return f"{size:.6g}"


def leave_room_only(low: float, high: float, least: float) -> tuple[float, float]:
    """The range of an axis; below the `least` possible figure there is room for a mark only.

    >>> leave_room_only(-0.05, 0.05, 0.0), leave_room_only(-0.5, 1.0, -1.0)
    ((-0.002, 0.05), (-0.5, 1.0))
    """
    return (max(low, least - MARK * (high - least)), high) if low < least < high else (low, high)


def measure_text(text: str, size: float = SIZE) -> float:
    """About how wide a text is, in points."""
    return LETTER * size * len(text)


def choose_numbers(
    low: float, high: float, points: float, *, whole: bool = False
) -> dict[float, str]:
    """Round numbers from `low` to `high`, with their texts, that have room in so many points.

    >>> choose_numbers(1921.0, 2005.0, 135.0)
    {1940.0: '1940', 1960.0: '1960', 1980.0: '1980', 2000.0: '2000'}
    >>> choose_numbers(1.0, 2.0, 135.0, whole=True)
    {1.0: '1', 2.0: '2'}
    """
    from matplotlib.ticker import MaxNLocator

    for most in range(6, 0, -1):
        locator = MaxNLocator(nbins=most, integer=whole, steps=[1, 2, 5, 10], min_n_ticks=1)
        places = [float(f"{p:.10g}") for p in locator.tick_values(low, high)]
        ticks = {p: write_number(p) for p in places if low <= p <= high}
        if ticks and fit_ticks(ticks, low, high, points):
            return ticks
    return {low: write_number(low)}


def fit_ticks(ticks: Mapping[float, str], low: float, high: float, points: float) -> bool:
    """Return whether labels in so many points do not touch."""
    places, widths = _measure(ticks, low, high, points)
    return bool((np.diff(places) >= (widths[1:] + widths[:-1]) / 2 + GAP).all())


def _measure(
    ticks: Mapping[float, str], low: float, high: float, points: float
) -> tuple[np.ndarray, np.ndarray]:
    scale = points / ((high - low) or 1.0)
    places = (np.array(sorted(ticks)) - low) * scale
    return places, np.array([measure_text(ticks[place]) for place in sorted(ticks)])


def keep_apart(
    ticks: Mapping[float, str], first: Sequence[float], low: float, high: float, points: float
) -> dict[float, str]:
    """The `first` ticks that do not touch, and those of the others that touch none of them."""
    kept: dict[float, str] = {}
    for place in (*first, *sorted(ticks)):
        if fit_ticks({**kept, place: ticks[place]}, low, high, points):
            kept[place] = ticks[place]
    return dict(sorted(kept.items()))


def thin_out(
    ticks: Mapping[float, str], low: float, high: float, points: float
) -> dict[float, str]:
    """Of whole numbers in a row those with the same distance, as many as do not touch."""
    for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        kept = {place: text for place, text in ticks.items() if place % step == 0}
        if fit_ticks(kept, low, high, points):
            return kept
    return {}


def set_counts(axes: Axes, axis: str = "y", most: int = 5) -> None:
    """Whole numbers along an axis that counts."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    chosen = axes.xaxis if axis == "x" else axes.yaxis
    chosen.set_major_locator(
        MaxNLocator(nbins=most, integer=True, steps=[1, 2, 5, 10], min_n_ticks=1)
    )
    chosen.set_major_formatter(FuncFormatter(lambda value, _: write_number(value)))
