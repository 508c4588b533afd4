"""The pruning scheme on the paper's tables, and how long both methods take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import swapmeet as sm
from kit.section import Section, Table
from parts.mews.data import load_tables
from parts.mews.releases import mask

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from kit.study import Run

SIZES = (1_000, 10_000, 100_000)


def prune_widths(run: Run) -> Section:
    """Which widths leave nobody alone."""
    tables = load_tables(run.choose(100_000, 10_000))
    rows = [row for name, table in tables.items() for row in list_widths(name, table)]
    return Section(
        title="The pruning scheme",
        finding="Widths that leave nobody alone are wide: outliers decide. Half of the range "
        "is the upper bound here, and the narrowest width that is kept is shown with its cells.",
        words=[
            ("A width is kept if every cell that holds rows holds two; of widths with the same "
            "smallest cell one is kept. 100 widths up to half of the range are tried."),
        ],
        tables=[
            Table(
                "Widths that are kept, as shares of the range",
                ["table, columns", "widths kept", "narrowest", "its cells", "its smallest cell",
                 "lemma 2", "honest, 1/(N − 1)"],
                rows,
            ),
            Table("Seconds for one release, two of four columns swapped",
                  ["rows", "MEWS, 20 bins", "MEDS, k = 50"],
                  [[n, *time_both(n)] for n in run.choose(SIZES, SIZES[:2])]),
        ],
    )  # fmt: skip


def list_widths(name: str, table: pd.DataFrame) -> Iterator[list[object]]:
    for count in (1, 2, 3):
        columns = list(table.columns[:count])
        kept = sm.propose_widths(table, columns)
        row: list[object] = [f"{name}, first {count}", len(kept.proposals)]
        if kept.proposals:
            first = kept.proposals[0]
            row += [first.share, first.degree, first.minimal_depth, kept.privacy,
                    1.0 / (first.minimal_depth - 1)]  # fmt: skip
        else:
            row += ["none"] + [None] * 4
        yield row


def time_both(rows: int) -> Iterator[float]:
    table = load_tables(rows)["Syn100k"]
    for method in (sm.MEWS(columns=("x1", "x2"), bins=20), sm.MEDS(columns=("x1", "x2"), k=50)):
        mask(table, method, 1)
        begin = time.perf_counter()
        mask(table, method, 1)
        yield time.perf_counter() - begin
