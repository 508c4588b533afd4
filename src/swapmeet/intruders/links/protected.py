"""Intruders who know that protection was raised for some people after the table was masked.

Special treatment leaves traces of its own. A row that traded again follows another rule than the
rest; a suppressed cell shows that somebody stood out; and someone who knows that the best link was
broken on purpose takes the next best. Each of these is an intruder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.comparison.values import code_both
from swapmeet.intruders.evidence import Agreement, Likelihood, Mixture, SuppressedCells
from swapmeet.intruders.links.evidence import KnownColumns
from swapmeet.release.donors import SUPPRESSED
from swapmeet.release.protection import Protection

SOME = "knows that some rows were protected"
LIST = "knows who was protected"
MARK = 1e-3
"""The doubt about whether a row that shows its treatment is one of those who were treated."""


@dataclass(frozen=True, repr=False, eq=False)
class ProtectedRows:
    """Knowledge about a release whose protection was raised for some people."""

    known: KnownColumns

    def find_traces(self, *, listed: bool) -> list[Likelihood]:
        """Evidence for an intruder who knows the steps, and how many rows each treated.

        If people are `listed`, the intruder also knows for whom protection was raised: a bound on
        what can be guessed of it.
        """
        ways = self._list_ways()
        if not ways:
            return []
        columns = dict.fromkeys(n for pieces, _ in ways for one in pieces for n in one.columns)
        weights = self._weigh(listed=listed)
        mixed = Mixture(
            tuple(columns),
            tuple(tuple(map(self._blank, pieces)) for pieces, _ in ways),
            np.stack([weights[:, steps].sum(axis=1) for _, steps in ways], axis=1),
        )
        return [mixed, *self._follow_marks()] if listed else [mixed]

    @property
    def _protection(self) -> Protection:
        protection = self.known.provenance.protection
        assert protection is not None
        return protection

    def _list_ways(self) -> list[tuple[list[Likelihood], list[int]]]:
        """Evidence that each way to treat a row gives, and the steps that did so; 0 is masking."""
        origin = self.known.provenance
        methods = [origin.method, *(step or origin.method for step in self._protection.steps)]
        evidence = []
        for number, method in enumerate(methods):
            if method not in methods[:number]:
                known = replace(self.known, provenance=replace(origin, method=method))
                steps = [i for i, one in enumerate(methods) if one == method]
                evidence.append((known.find_traces(), steps))
        return [way for way in evidence if way[0]]

    def _weigh(self, *, listed: bool) -> Floats:
        """Likelihood that the row of each person was treated by each step."""
        steps, count = self._protection.step_of_person, len(self._protection.steps) + 1
        if listed:
            return np.eye(count)[steps]
        shares = np.bincount(steps, minlength=count) / len(steps)
        return np.tile(shares, (len(steps), 1))

    def _blank(self, piece: Likelihood) -> Likelihood:
        gone = self._gone(piece.columns)
        return SuppressedCells(piece.columns, piece, gone) if gone.any() else piece

    def _gone(self, columns: tuple[str, ...]) -> Flags:
        """Rows of which a cell in these columns was suppressed."""
        origin = self.known.provenance
        at = [origin.columns.index(name) for name in columns if name in origin.columns]
        return np.asarray((origin.donors[:, at] == SUPPRESSED).any(axis=1))

    @cached_property
    def _marks(self) -> Ints:
        """The step that suppressed cells of each person's row, and shows there; 0 is none."""
        numbers = [i for i, step in enumerate(self._protection.steps, 1) if step is None]
        steps = self._protection.step_of_person
        shown = np.isin(steps, numbers) & self._gone(self.known.provenance.columns)
        return np.where(shown, steps, 0)

    def _follow_marks(self) -> list[Likelihood]:
        """Look for the people of the list among the rows that show the treatment."""
        marks = self._marks
        if not marks.any():
            return []
        return [Agreement(("suppressed cells",), code_both([marks], [marks]), doubt=MARK)]
