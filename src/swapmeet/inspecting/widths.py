"""propose_widths(): the widths of MEWS that leave nobody alone, by the paper's pruning scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from swapmeet.algorithms.groups.cells import equi_width_privacy, width_of
from swapmeet.methods.mews import candidates
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Schema, fit_schema


@dataclass(frozen=True)
class WidthProposal:
    """Widths for `MEWS(width=...)`, the cells they make and the rows in the smallest of them.

    `share` is the width as a share of each column's range.
    """

    width: dict[str, float]
    share: float
    degree: int
    minimal_depth: int


@dataclass(frozen=True)
class WidthProposals:
    """All proposals, narrowest first, and the paper's figure for a random one of them (lemma 2).

    The figure is the chance of an intruder who does not know which proposal was used; the chance of
    one who knows it is in the notes of each release of MEWS.
    """

    proposals: tuple[WidthProposal, ...]
    privacy: float | None


def propose_widths(
    data: Frame,
    columns: Sequence[str],
    *,
    schema: Schema | None = None,
    upper: float = 0.5,
) -> WidthProposals:
    """Widths up to `upper` (a share of each column's range) at which no row is alone in its cell.

    >>> import swapmeet as sm
    >>> widths = propose_widths(sm.datasets.load("diabetes"), ["bmi", "bp"], upper=0.6)
    >>> [(p.degree, p.minimal_depth) for p in widths.proposals][:2]
    [(15, 2), (9, 3)]
    """
    table = Table.of(data)
    microdata = Microdata.of(table, fit_schema(schema, table, "propose_widths"))
    shares = candidates(microdata, columns, upper=upper)
    spans = {name: width_of(microdata[name].statistics.span, 1) for name in columns}
    proposals = tuple(
        WidthProposal(
            {name: c.width * span for name, span in spans.items()},
            c.width,
            c.degree,
            c.minimal_depth,
        )
        for c in shares
    )
    depths = [proposal.minimal_depth for proposal in proposals]
    return WidthProposals(proposals, equi_width_privacy(depths) if depths else None)
