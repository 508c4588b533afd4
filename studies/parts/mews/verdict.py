"""What intruders find in releases by MEWS and MEDS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import swapmeet as sm
from kit.section import Section, Table
from parts.mews.data import load_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kit.study import Run

MEASURES = ("dbrl", "linkage", "inference")


def judge(run: Run) -> Section:
    """Linkage and inference where two columns are known and moved as one."""
    rows = [*list_releases(run)]
    blocks = [row for row in rows if "matched" not in str(row[0])]
    return Section(
        title="What the verdict says: columns that move as one",
        finding="Someone who knows one column of the swapping set reads the others in the row "
        f"that holds its value: {sum(row[-1] != 'none' for row in blocks)} of {len(blocks)} "
        "releases by MEWS and MEDS exceed a default limit, inference being "
        f"{min(row[3] for row in blocks):.2f} to {max(row[3] for row in blocks):.2f} of the values "
        f"where the distance-based dbrl is at most {max(row[1] for row in blocks):.2f}.",
        words=[
            ("The first column is known (the key), the second one is sensitive, and both are the "
            "swapping set. A block of true values travels as a whole, so that the value of the "
            "key, where it is rare, leads to the true sensitive value, wherever the block is. "
            "Matched swapping of the same columns moves each by itself."),
        ],
        tables=[
            Table("1,000 rows of each table; someone who knows the first column",
                  ["release", *MEASURES, "default limits missed"], rows)
        ],
    )  # fmt: skip


def list_releases(run: Run) -> Iterator[list[object]]:
    for name, table in load_tables(1_000, run.choose(1_000, 400)).items():
        table = table[list(table.columns[:4])]
        known, told = table.columns[:2]
        schema = sm.Schema.infer(table).assign(
            numeric=list(table), key=[c for c in table if c != told], sensitive=[told]
        )
        for words, method in (
            ("MEWS, 5 bins", sm.MEWS(columns=(known, told), bins=5)),
            ("MEDS, k = 20", sm.MEDS(columns=(known, told), k=20)),
            ("matched swapping, k = 20", sm.MatchedSwap(k=20)),
        ):
            release = sm.mask(table, method, schema=schema, seed=run.seed)
            card = sm.assess(table, release, schema=schema, known=[known], measures=MEASURES)
            missed = [one.measure for one in card.verdict.reasons if one.decided and not one.met]
            yield [f"{name}, {words}", *(card[m].value for m in MEASURES),
                   ", ".join(missed) or "none"]  # fmt: skip
