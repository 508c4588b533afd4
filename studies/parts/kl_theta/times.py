"""Figure 5: how long clustering takes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

import swapmeet as sm
from kit.panels import Panel, draw_panels
from kit.section import Picture, Section, Table, split_paragraphs
from parts.kl_theta.tables import choose_method, describe_adult, read_adult

if TYPE_CHECKING:
    from kit.study import Run

PAPER_ROWS, PAPER_SECONDS = 32_561, 210.0
EXTRAPOLATED = {100_000: 35 * 60.0, 1_000_000: 61 * 3600.0}


def make_times(run: Run) -> Section:
    """CPU seconds by rows: parts of the file, and larger tables drawn from it."""
    sizes = {
        "paper": run.choose((4_000, 8_000, 16_000, 32_561, 100_000), (4_000, 16_000, 32_561)),
        "balanced": run.choose((4_000, 16_000, 32_561, 100_000, 1_000_000), (4_000, 32_561)),
    }
    for strategy in sizes:
        _measure(2_000, strategy)  # compiles the loops
    found = {s: {n: _measure(n, s) for n in many} for s, many in sizes.items()}
    ours, equal = found["paper"][PAPER_ROWS], found["balanced"][PAPER_ROWS]
    return Section(
        title="Times (Figure 5)",
        finding=f"The same clusters take {ours:.1f} CPU seconds instead of 210 s, and balanced "
        f"ones {equal:.1f}.",
        words=split_paragraphs(
            """
            The paper compares each row with each other one; ours keeps rows and clusters in
            indexes and finds the same nearest one. Its curve in Figure 5 cannot be read to the
            second: shown is the square law that it states, through 210 s, with its own
            extrapolations to 100,000 rows (35 minutes) and 1,000,000 (61 hours). Larger tables
            than the file are rows drawn from it at random. Times are CPU seconds of one release,
            masking included, on a machine that is shared with other work. With the paper's rules
            rows are left over at 100,000 rows, and rounds multiply.
            """
        ),
        tables=[_lay_out(found)],
        pictures=[_draw(found)],
    )


def _measure(rows: int, strategy: str) -> float:
    adult = read_adult()
    if rows <= len(adult):
        table = adult.head(rows)
    else:
        drawn = np.random.default_rng(rows).integers(0, len(adult), rows)
        table = adult.iloc[drawn].reset_index(drop=True)
    begin = time.process_time()
    sm.mask(table, choose_method(strategy=strategy), schema=describe_adult(), seed=1)
    return time.process_time() - begin


def _expect(rows: int) -> float:
    """What the paper says, or its square law."""
    return EXTRAPOLATED.get(rows, PAPER_SECONDS * (rows / PAPER_ROWS) ** 2)


def _lay_out(found: dict[str, dict[int, float]]) -> Table:
    sizes = sorted({n for one in found.values() for n in one})
    rows = [[f"{n:,}", _expect(n), *(one.get(n) for one in found.values())] for n in sizes]
    return Table(
        "Seconds by rows (the paper's: 210 at 32,561; others by its law)",
        ["rows", "paper", *(f"strategy {name}" for name in found)],
        rows,
    )


def _draw(found: dict[str, dict[int, float]]) -> Picture:
    most = max(n for one in found.values() for n in one)
    law = [n for n in (4_000, 8_000, 16_000, PAPER_ROWS, 100_000, 1_000_000) if n <= most]
    curves = {
        "the paper": (law, [_expect(n) for n in law]),
        **{f"strategy {name}": (list(one), list(one.values())) for name, one in found.items()},
    }
    panel = Panel(title="", across="rows", up="seconds", curves=curves, log="xy")
    return Picture.of(
        draw_panels([panel], columns=1, height=3.0),
        title="Time by rows",
        description="Seconds against rows on logarithmic axes: the paper's square law far above "
        "our two strategies.",
        caption="The paper's square law through 210 s, and CPU seconds of ours.",
        name="kl-theta-times",
    )
