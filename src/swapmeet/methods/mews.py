"""Multivariate equi-width data swapping (Li and Shen 2010, algorithm 2).

The pruning scheme (section 3.2) tells which widths of cells are worth considering.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

import numpy as np

from swapmeet.algorithms.groups.cells import (
    NARROWEST,
    cells_of,
    depths_of,
    minimal_depth,
    partition_degree,
    places_of,
    width_of,
)
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.parallel import Workers
from swapmeet.base.params import ByColumn, Count, Number, Optional, Tries
from swapmeet.errors import ParameterError, SchemaError, UsageError
from swapmeet.methods.base import Method
from swapmeet.methods.block_swap import ANALYSTS, REAL_BLOCKS, BlockSwap
from swapmeet.methods.description import Description, PublicSetting, describe_count
from swapmeet.tables.microdata import Microdata, Variable

TRIED = 100


@dataclass(frozen=True, kw_only=True)
class MEWS(BlockSwap):
    """Rows in the same cell of an equi-width grid trade their values of a set of columns.

    A grid of intervals, `width` wide or `bins` of each column, is laid over the swapping set. Rows
    of a cell are paired at random, and partners trade all their values of the set, so whatever
    relates its columns to one another stays exactly as it was. Wider cells hide more and loosen the
    relations to the `rest`. A row alone in its cell, or left over by the pairing, keeps its values.

    Unlike the paper, which has complete data, rows with values of the set missing trade with rows
    in which the same ones are missing and which are in the same interval of the others.

    Reference: Li, Shen (2010), algorithm 2 and section 3.2.

    >>> import warnings
    >>> import swapmeet as sm
    >>> with warnings.catch_warnings(action="ignore"):
    ...     release = sm.mask(
    ...         sm.datasets.load("diabetes"), sm.MEWS(columns=["bmi", "bp"], bins=4), seed=1
    ...     )
    >>> [change.name for change in release.changes if change.moved]
    ['bmi', 'bp']
    """

    name = "mews"
    title = "multivariate equi-width data swapping"
    summary = "rows in one cell of an equi-width grid trade a block of values"
    remedy = "Wider cells let a column change more."
    unit = "cell"
    grows = ("width",)
    shrinks = ("bins",)

    width: Annotated[
        float | dict[str, float] | None,
        Optional(ByColumn(Number(above=True))),
        "width of the intervals of a column, in its own unit; or give bins",
    ] = None
    bins: Annotated[
        int | dict[str, int] | None,
        Optional(ByColumn(Count(1))),
        f"number of intervals of a column (default {BINS}); or give width",
        Tries(2, 3, 4, 5, 7, 10, 15, 20, 30),
    ] = None

    def strengthen(self, times: float) -> Method | None:
        given = self.width is not None or self.bins is not None
        return super().strengthen(times) if given else replace(self, bins=BINS).strengthen(times)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width is not None and self.bins is not None:
            raise ParameterError("mews: give `width` or `bins`, not both.")

    @property
    def description(self) -> Description:
        return Description(
            title=self.title,
            people="A block of values trades places with the same block of another person whose "
            "values lie in the same ranges. Where there is no such person, the block stays.",
            analysts=ANALYSTS,
            settings=self._public_settings(),
            cautions=CAUTIONS,
        )

    def _public_settings(self) -> tuple[PublicSetting, ...]:
        if self.bins is None:
            return ()
        finest = max(self.bins.values()) if isinstance(self.bins, dict) else self.bins
        return (PublicSetting("intervals of a column", describe_count(finest)),)

    def check(self, data: Microdata) -> None:
        for parameter, given in (("width", self.width), ("bins", self.bins)):
            if isinstance(given, dict):
                data.require_names(given, f"{self.name}: `{parameter}`")
                self._require_complete(parameter, given, data)
        super().check(data)
        self._require_wide_enough(data.select(self.swapped_columns(data)))

    def find_groups(self, data: Microdata, workers: Workers) -> Ints:  # noqa: ARG002
        places = [
            places_of(v.values, self._width(v), (v.statistics.low, v.statistics.high))
            for v in data.variables
        ]
        return cells_of(places, data.strata)

    def find_groups_of_column(self, data: Microdata, workers: Workers) -> Ints:
        return self.find_groups(data, workers)

    def _width(self, variable: Variable) -> float:
        if self.width is not None:
            return _value_for(self.width, variable.name)
        bins = BINS if self.bins is None else _value_for(self.bins, variable.name)
        return width_of(variable.statistics.span, bins)

    def _require_complete(self, parameter: str, given: Iterable[str], data: Microdata) -> None:
        left_out = [name for name in self.swapped_columns(data) if name not in given]
        if left_out:
            problem = (
                f"mews: `{parameter}` must name all columns that are swapped; it leaves out "
                f"{', '.join(left_out)}. Name them too, or leave them out of `columns`."
            )
            raise SchemaError([problem])

    def _require_wide_enough(self, data: Microdata) -> None:
        narrow = [
            v.name
            for v in data.variables
            if self._width(v) < NARROWEST * width_of(v.statistics.span, 1)
        ]
        if narrow:
            raise SchemaError(
                f"mews: the intervals of {name!r} are too narrow to be told apart. "
                "Give a larger `width` or fewer `bins`."
                for name in narrow
            )


def candidates(
    data: Microdata, columns: Iterable[str] | None = None, *, upper: float = 0.5, tried: int = TRIED
) -> tuple[ProposedWidth, ...]:
    """The widths that leave no row alone in its cell, as shares of the range of each column.

    `columns` are the swapping set, as of `MEWS`; `upper` is the largest share considered. See
    `candidate_widths` for which widths are kept.
    """
    method = MEWS(columns=None if columns is None else tuple(columns))
    method.check(data)
    chosen = data.select(method.swapping_set(data))
    shares = [v.values / width_of(v.statistics.span, 1) for v in chosen.variables]
    return candidate_widths(shares, upper=upper, tried=tried, strata=data.strata)


def _value_for(given: _Value | dict[str, _Value], name: str) -> _Value:
    """The value for a column."""
    return given[name] if isinstance(given, dict) else given


@dataclass(frozen=True)
class ProposedWidth:
    """A width, the number of cells that hold rows, and the rows in the smallest of them."""

    width: float
    degree: int
    minimal_depth: int


def candidate_widths(
    columns: Sequence[Floats], *, upper: float, tried: int = TRIED, strata: ShortInts | None = None
) -> tuple[ProposedWidth, ...]:
    """The widths from the lower bound to `upper`, narrowest first, one for each minimal depth.

    The columns are on a common scale and share the width. `tried` widths are looked at, equally
    spaced up to `upper`. The lower bound is the narrowest at which each cell that holds rows holds
    two or more; from there up, those that again leave a row alone are left out, and of widths with
    the same minimal depth the narrowest is kept. None may be left.

    >>> ages = np.array([20.0, 21.0, 24.0, 25.0, 28.0, 29.0])
    >>> for candidate in candidate_widths([ages], upper=9.0, tried=9):
    ...     print(candidate)
    ProposedWidth(width=2.0, degree=3, minimal_depth=2)
    ProposedWidth(width=5.0, degree=2, minimal_depth=3)
    ProposedWidth(width=9.0, degree=1, minimal_depth=6)
    """
    if not (upper > 0.0 and np.isfinite(upper)) or tried < 1 or not len(columns):
        raise UsageError(
            "candidate_widths: give columns, a finite `upper` above 0 and `tried` from 1 up."
        )
    if strata is None:
        strata = np.zeros(len(columns[0]), np.int32)
    widths: dict[int, ProposedWidth] = {}
    for step in range(1, tried + 1):
        width = upper * step / tried
        depths = depths_of(cells_of([places_of(column, width) for column in columns], strata))
        depth = minimal_depth(depths)
        if depth >= 2 and depth not in widths:
            widths[depth] = ProposedWidth(width, partition_degree(depths), depth)
    return tuple(widths.values())


_Value = TypeVar("_Value", int, float)

BINS = 10
"""Number of intervals of a column unless the user says otherwise."""

CAUTIONS = (
    REAL_BLOCKS,
    "Rows alone in their cell, and the odd one out of a cell, keep their values.",
    ("An intruder who knows the grid finds a row's cell, and in small cells its partner."),
)
