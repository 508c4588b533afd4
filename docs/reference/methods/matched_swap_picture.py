"""Draws the idea of matched swapping: matched-swap.svg, beside this file.

Sixty invented people, masked by the method itself with a fixed seed; the step between is drawn as
the method begins, each column permuted inside its group.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import swapmeet as sm

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

PICTURE = Path(__file__).with_name("matched-swap.svg")
PEOPLE, GROUP, SHOWN, SEED = 60, 6, 4, 2
PAIRS = (("hours", "income"), ("age", "income"), ("age", "hours"))
TINTS = ("#9fd3f2", "#fbd08a", "#9fdcc0", "#f3b9d5", "#f6f0a0", "#d3c3ee")
INK, FAINT, ALARM = "#222222", "#9a9a9a", "#b3261e"
WIDTH, HEIGHT, PANEL, MARGIN = 930, 560, 318, 30
CELL = 74, 26
NEARLY = 0.015
"""A correlation that differs by no more than this is as good as the original's."""


def main() -> None:
    """Mask, and draw the three steps side by side."""
    people, groups = make_people()
    start = permute_in_groups(people, groups)
    matched = match_in_groups(people, groups)
    steps = (
        ("1  Similar people form groups", "One of ten groups; a colour is a person.", None),
        ("2  Each column is permuted", "Nobody's row is left, but relations weaken.", start),
        ("3  Trades bring relations back", "Still inside the group, still nobody's row.", matched),
    )
    parts = [draw_frame()]
    for at, (title, words, donors) in enumerate(steps):
        moved = np.tile(np.arange(PEOPLE)[:, None], (1, 3)) if donors is None else donors
        parts += draw_step(at, title, words, people, moved, groups)
    PICTURE.write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


def make_people() -> tuple[pd.DataFrame, Ints]:
    """Invented people, and the group of each: five of a similar age, halved by income."""
    rng = np.random.default_rng(SEED)
    age, hours = rng.uniform(20, 65, PEOPLE), np.clip(rng.normal(36, 7, PEOPLE), 15, 55)
    income = 0.55 * (age - 20) + 1.1 * (hours - 15) + rng.normal(2, 2, PEOPLE)
    people = pd.DataFrame({"age": age, "hours": hours, "income": income}).round().astype(int)
    part = people["age"].rank(method="first").sub(1) // (2 * GROUP)
    half = people.groupby(part)["income"].rank(method="first").sub(1) // GROUP
    return people, (2 * part + half).to_numpy(np.int64)


def permute_in_groups(people: pd.DataFrame, groups: Ints) -> Ints:
    """The row from which each value comes when columns are permuted inside groups."""
    rng = np.random.default_rng(SEED)
    donors = np.empty(people.shape, np.int64)
    for label in range(groups.max() + 1):
        rows = np.flatnonzero(groups == label)
        donors[rows] = rng.permuted(np.tile(rows[:, None], (1, people.shape[1])), axis=0)
    return donors


def match_in_groups(people: pd.DataFrame, groups: Ints) -> Ints:
    """The row from which each value comes after matched swapping."""
    table = people.assign(group=groups)
    schema = sm.Schema.infer(table).assign(numeric=list(people), strata=["group"])
    release = sm.mask(table, sm.MatchedSwap(k=GROUP, by="strata"), schema=schema, seed=SEED)
    return release.audit.donors[:, : people.shape[1]]


def draw_frame() -> str:
    """The beginning of the file, with words for readers who cannot see the picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="Helvetica, Arial, sans-serif" fill="{INK}" role="img">\n'
        "<title>The idea of matched swapping</title>\n"
        "<desc>Three steps: a group of six similar people with age, hours and income; each column "
        "permuted inside the group, which weakens correlations; and the arrangement after trades, "
        "with the correlations of the original.</desc>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    )


def draw_step(
    at: int, title: str, words: str, people: pd.DataFrame, donors: Ints, groups: Ints
) -> Iterator[str]:
    """A column of the picture: the group as a table, all people as points, the correlations."""
    left = MARGIN + at * PANEL
    yield write(left, 34, title, size=15, weight="bold")
    yield write(left, 55, words, size=13)
    rows = np.flatnonzero(groups == SHOWN)
    yield from draw_group(left, 70, people, donors, rows)
    values = people.to_numpy()[donors, np.arange(people.shape[1])]
    yield write(left, 272, "All sixty people; the group is filled.", size=13)
    yield from draw_points(left, 282, values, rows)
    yield from draw_correlations(left, 500, people, pd.DataFrame(values, columns=people.columns))


def draw_group(
    left: int, top: int, people: pd.DataFrame, donors: Ints, rows: Ints
) -> Iterator[str]:
    """The values of one group, in the colours of the people they come from."""
    tints = dict(zip(rows.tolist(), TINTS, strict=True))
    wide, high = CELL
    for column, name in enumerate(people):
        x = left + column * (wide + 4)
        yield write(x + wide / 2, top + 16, name, size=13, anchor="middle")
        for line, row in enumerate(rows):
            donor, y = int(donors[row, column]), top + 24 + line * high
            yield (
                f'<rect x="{x}" y="{y}" width="{wide}" height="{high - 3}" rx="4" '
                f'fill="{tints[donor]}"/>'
            )
            value = str(people.iloc[donor, column])
            yield write(x + wide / 2, y + 16, value, size=13, anchor="middle")


def draw_points(left: int, top: int, values: Ints, rows: Ints) -> Iterator[str]:
    """Hours and income of all; those of the group are filled."""
    wide, high = 3 * CELL[0] + 8, 180
    yield (
        f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="none" stroke="{FAINT}"/>'
    )
    for row, (_, hours, income) in enumerate(values.tolist()):
        x = left + 8 + (hours - 15) / 40 * (wide - 16)
        y = top + high - 8 - income / 65 * (high - 16)
        fill = INK if row in rows else "#ffffff"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{fill}" stroke="{INK}"/>'
    yield write(left + wide, top + high + 16, "hours", size=12, anchor="end")
    yield write(left + 6, top + 16, "income", size=12)


def draw_correlations(
    left: int, top: int, people: pd.DataFrame, released: pd.DataFrame
) -> Iterator[str]:
    """The correlations of the release, alarming where they differ from the original's."""
    yield write(left, top - 22, "Correlations", size=13)
    for line, (one, other) in enumerate(PAIRS):
        true, now = (float(table[one].corr(table[other])) for table in (people, released))
        colour, weight = (ALARM, "bold") if abs(true - now) > NEARLY else (INK, "normal")
        y = top + line * 20
        yield write(left, y, f"{one} and {other}", size=13)
        yield write(
            left + 3 * CELL[0] + 8, y, f"{now:.2f}".replace("-", "−"), size=13, anchor="end",
            weight=weight, colour=colour,
        )  # fmt: skip


def write(
    x: float, y: float, words: str, *, size: int, anchor: str = "start", weight: str = "normal",
    colour: str = INK,
) -> str:  # fmt: skip
    """Text as text."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
        f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
    )


if __name__ == "__main__":
    main()
