"""Base of MEWS and MEDS: a set of columns whose values trade together, in random pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from swapmeet.algorithms.groups.cells import depths_of, exposure, minimal_depth, partition_degree
from swapmeet.base.arrays import Flags, Rows
from swapmeet.base.notes import MergeableNote
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Names, OneOf, Optional
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree, figure
from swapmeet.errors import SchemaError
from swapmeet.intruders.evidence import UNSURE, Evidence, GroupShares, Likelihood, code_both
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.base import WITH_ORDER, Columns, Method
from swapmeet.methods.matched_swap.exchange import Exchange
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.column import ColumnNames
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column

ANALYSTS = (
    "Each column has exactly the values it had, and relations among the columns that traded "
    "together are exact. Inside a group, they go with the other columns at random."
)
REAL_BLOCKS = (
    "The combinations of values that trade together are released as they are; only their link to "
    "the rest of the row is broken. An intruder who knows these values finds them."
)


@dataclass(frozen=True, kw_only=True)
class BlockSwap(Method):
    """Rows are paired at random inside groups; partners trade their values of the swapping set."""

    takes = WITH_ORDER
    leaves = (
        "Columns outside the swapping set (nominal ones, unless others are named) stay as they "
        "are unless rest is swap, and someone who knows them finds people by them."
    )
    unit: ClassVar[str]
    """Name of a group."""

    columns: Annotated[
        tuple[str, ...] | None,
        Optional(Names()),
        "the swapping set: columns that trade together (default: all numeric and ordinal ones)",
    ] = None
    rest: Annotated[
        str,
        OneOf(("keep", "swap")),
        "the other columns stay as they are, or are swapped one by one",
    ] = "keep"

    @abstractmethod
    def find_groups(self, data: Microdata, workers: Workers) -> Rows:
        """The group of each row, by all columns of `data`; -1 for rows without any value."""

    @abstractmethod
    def find_groups_of_column(self, data: Microdata, workers: Workers) -> Rows:
        """The group of each row, by the only column of `data`; -1 for rows without it."""

    def masks(self, column: Column) -> bool:
        in_set = column.kind in self.takes if self.columns is None else column.name in self.columns
        return column.role.masked and (in_set or self.rest == "swap")

    def adapt(self, columns: Columns) -> Method | None:
        """None where no column of the swapping set is there, and others stay as they are."""
        if self.columns is None or any(columns.get(name) for name in self.columns):
            return super().adapt(columns)
        if self.rest == "swap":
            raise SchemaError([f"{self.name}: none of these columns is in `columns`."])
        return None

    def refused_columns(self, data: Microdata) -> tuple[str, ...]:
        swapped = self.swapped_columns(data) or data.names
        return tuple(n for n in data.names if n in swapped and data[n].kind not in self.takes)

    def check(self, data: Microdata) -> None:
        data.require_names(self.columns or (), f"{self.name}: `columns`")
        super().check(data)
        data.require_finite(self.swapped_columns(data))

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        from swapmeet.algorithms.exchange import pair_within_groups

        block = self.swapping_set(data)
        groups = self.find_groups(data.select(block), workers)
        trade = self.trade_block(data, groups, streams, workers)
        own = np.arange(data.n)
        donors = np.empty((len(data.variables), data.n), np.int64)
        stuck = {}
        for column, variable in enumerate(data.variables):
            name = variable.name
            if name in block:
                donors[column] = trade.donors[:, 0]
            elif self.rest == "swap":
                labels = self.find_groups_of_column(data.select([name]), workers)
                donors[column] = pair_within_groups(
                    labels, streams.random_bits(data.n, "rest", name)
                )
            else:
                donors[column] = own
                continue
            rows = np.flatnonzero((donors[column] == own) & ~variable.missing)
            if name in block and not self.in_pairs:
                rows = rows[_find_lone(groups)[rows]]
            if len(rows):
                stuck[name] = rows
        facts = (*self._facts(depths_of(groups), data.n), *trade.facts)
        return Outcome(DonorMap(donors.T), stuck=stuck, facts=facts, notes=tuple(self._notes(data)))

    @property
    def in_pairs(self) -> bool:
        """Return whether blocks trade two by two."""
        return True

    def trade_block(
        self,
        data: Microdata,
        groups: Rows,
        streams: Streams,
        workers: Workers,  # noqa: ARG002
    ) -> Exchange:
        """Draw the donor of each row's block, inside groups."""
        from swapmeet.algorithms.exchange import pair_within_groups

        partners = pair_within_groups(groups, streams.random_bits(data.n, "block"))
        return Exchange(partners[:, np.newaxis], ())

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """The block of a row is that of another member of its person's group."""
        pieces: list[Likelihood] = []
        block = seen.select(self.columns or self.swapping_set(seen.people))
        if block.names:
            labels = self.find_groups(block.people, seen.workers)
            pieces.append(_attack_groups(block, labels, pairs=self.in_pairs))
        if self.rest == "swap":
            for name in seen.names:
                if name not in block.names:
                    alone = seen.select([name])
                    labels = self.find_groups_of_column(alone.people, seen.workers)
                    pieces.append(_attack_groups(alone, labels, pairs=True))
        return tuple(pieces)

    def swapping_set(self, data: Microdata) -> ColumnNames:
        """The columns that trade together, in the order of the table."""
        if self.columns is None:
            return ColumnNames(v.name for v in data.variables if v.kind in self.takes)
        chosen = set(self.columns)
        return ColumnNames(name for name in data.names if name in chosen)

    def swapped_columns(self, data: Microdata) -> tuple[str, ...]:
        """The columns that are not left as they are."""
        return data.names if self.rest == "swap" else self.swapping_set(data)

    def _facts(self, depths: Rows, n: int) -> Iterator[str]:
        """Facts about the groups of the swapping set, given their sizes."""
        if not len(depths):
            return
        if not self.in_pairs:
            yield MergeableNote.of(
                _say_depth,
                {"degree": sum, "depth": min},
                degree=partition_degree(depths),
                depth=minimal_depth(depths),
                unit=self.unit,
            )
            return
        alone, odd = int((depths == 1).sum()), int((depths % 2 == 1).sum())
        yield MergeableNote.of(
            _say_partition,
            {"degree": sum, "depth": min, "exposed": max},
            degree=partition_degree(depths),
            depth=minimal_depth(depths),
            exposed=exposure(depths),
            unit=self.unit,
        )
        joins = {"alone": sum, "odd": sum}
        yield MergeableNote.of(
            _say_unpaired, joins, rows=n, alone=alone, odd=odd - alone, unit=self.unit
        )
        yield from self.paper_figures(n)

    def paper_figures(self, n: int) -> Iterator[str]:  # noqa: ARG002
        """Say what the paper's lemmas say about a release, where they do."""
        return iter(())

    def _notes(self, data: Microdata) -> Iterator[str]:
        kept = [name for name in data.names if name not in self.swapped_columns(data)]
        if kept:
            yield (
                f"not in the swapping set, and left as they are: {', '.join(kept)}. Swap them as "
                "well (`rest` = swap), or mask them by another method with per-column."
            )


def _find_lone(groups: Rows) -> Flags:
    """Rows that have nobody to trade with."""
    sizes = np.bincount(groups + 1)
    return (groups < 0) | (sizes[groups + 1] == 1)


def _attack_groups(seen: Evidence, labels: Rows, *, pairs: bool) -> Likelihood:
    """Evidence of a block that comes as one from a member of the group; in pairs, from another."""
    one, other = ([v.values for v in data.variables] for data in (seen.people, seen.released))
    doubt = DOUBT if seen.complete else UNSURE
    return GroupShares(seen.names, code_both(one, other), labels, pairs=pairs, doubt=doubt)


def _say_partition(degree: int, depth: int, exposed: float, unit: str) -> str:
    return (
        f"partition degree {degree}, minimal depth {depth}: an intruder who knows the {unit}s "
        f"names a row's partner with a probability of up to {figure(exposed, 2)}."
    )


def _say_depth(degree: int, depth: int, unit: str) -> str:
    return f"partition degree {degree}, minimal depth {depth}: blocks trade inside {unit}s."


def _say_unpaired(rows: int, alone: int, odd: int, unit: str) -> str:
    return (
        f"{alone} of {rows} rows {agree(alone, 'is', 'are')} alone in a {unit} and {odd} "
        f"{agree(odd, 'is', 'are')} left over by the pairing; these keep their values."
    )
