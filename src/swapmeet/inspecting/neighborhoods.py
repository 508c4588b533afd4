"""neighborhoods() and crowding(): how many neighbours rows have, how near (RWN paper, Figure 1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import UsageError
from swapmeet.measures.side_by_side.bins import (
    LEAST,
    choose_bins,
    count_cells,
    even_edges,
    hide_small_cells,
)
from swapmeet.methods import NBRS, RWN
from swapmeet.methods.neighbourhood import measure_neighborhoods, prepare
from swapmeet.methods.rwn import IN_SPACE
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Schema, fit_schema

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors import Neighborhood
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.base import Method


_STREAMS = Seed(bytes(32)).within("crowding")
"""Not a secret: the same table gives the same neighbourhoods."""


@dataclass(frozen=True, repr=False, eq=False)
class Neighborhoods:
    """The neighbourhood of each row of a table, in the order of its rows.

    `sizes` are numbers of rows, the row itself not counted; `nearest` is the distance to the
    nearest other row, and `farthest` that to the farthest member: NaN where there is none. Where
    neighbours are sought among random candidates, `farthest` is None.
    """

    sizes: Ints
    nearest: Floats
    farthest: Floats | None

    def __repr__(self) -> str:
        return f"<Neighborhoods of {len(self.sizes)} rows>"


def neighborhoods(data: Frame, method: Method, *, schema: Schema | None = None) -> Neighborhoods:
    """The neighbourhoods that `method` would draw from, before anything is masked.

    `method` is RWN or NBRS. Distances are the method's own, and so are all settings that decide on
    neighbours. Where there are strata, neighbours and nearest rows are those of the row's stratum.
    Members are counted, never listed.

    >>> import swapmeet as sm
    >>> around = sm.neighborhoods(sm.datasets.load("diabetes"), sm.RWN(k=5, eps=0.4, weights=0.1))
    >>> int(around.sizes.min()), bool((around.nearest <= around.farthest).all())
    (5, True)
    """
    local = find_neighborhood(method, "neighborhoods")
    table = Table.of(data)
    schema = fit_schema(schema, table, "neighborhoods")
    return measure(Microdata.of(table, schema, method.find_context(schema)), method, local)


def find_neighborhood(method: object, caller: str) -> Neighborhood:
    """Space and rule of a method, whatever its way to search; refuse those that have none."""
    from swapmeet.algorithms.neighbors import Neighborhood

    if isinstance(method, (RWN, NBRS)):
        return Neighborhood(method.space, method.rule)
    raise UsageError(
        f"{caller}: `method` must have neighbourhoods, such as RWN(k=5, eps=0.2) or NBRS(eps=0.5); "
        f"got {getattr(method, '__name__', type(method).__name__)}."
    )


def measure(data: Microdata, method: Method, local: Neighborhood) -> Neighborhoods:
    """Sizes and distances of the neighbourhoods of a table that the method can mask."""
    method.check(data)
    extents = measure_neighborhoods(data, local.space, local.rule, Workers())
    nearest, farthest = (_to_distances(squares) for squares in (extents.nearest, extents.farthest))
    if not isinstance(method, RWN) or method.search in IN_SPACE:
        return Neighborhoods(extents.sizes, nearest, farthest)
    draw = prepare(data, local.space, _STREAMS, Workers(), method.way_to_search)
    sizes = draw(local.rule, np.empty((data.n, 0), np.int64)).sizes
    return Neighborhoods(sizes.astype(np.int64), nearest, None)


def _to_distances(squares: Floats) -> Floats:
    return np.sqrt(np.where(np.isfinite(squares), squares, np.nan))


@dataclass(frozen=True)
class Crowding:
    """Rows by the size of their neighbourhood and the distance to the closest other row.

    `counts[i][j]` are the rows in bin i of sizes and bin j of distances; a cell of fewer than
    `least` rows counts 0, and `left_out` is the number of rows in such cells. Edges are the inner
    ones; the outermost bins are open. Rows that are alone in their stratum are in no cell.
    `farthest_counts` are the rows by the distance to the farthest neighbour, as far as they have
    one; there are none where neighbours are sought among random candidates.
    """

    k: int
    eps: float
    rows: int
    size_edges: tuple[float, ...]
    distance_edges: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    left_out: int
    least: int = LEAST
    farthest_edges: tuple[float, ...] = ()
    farthest_counts: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def crowding(data: Frame, method: Method, *, schema: Schema | None = None) -> Crowding:
    """The neighbourhoods that RWN or NBRS would draw from, before anything is masked, as counts.

    `neighborhoods` has them row by row. Distances are the method's own. Where there are strata,
    both the neighbourhood and the closest row are those of the row's stratum.

    >>> import swapmeet as sm
    >>> crowds = crowding(sm.datasets.load("diabetes"), sm.RWN(k=5, eps=0.3, weights=0.1))
    >>> crowds.rows, sum(map(sum, crowds.counts)) + crowds.left_out
    (442, 442)
    """
    local = find_neighborhood(method, "crowding")
    table = Table.of(data)
    schema = fit_schema(schema, table, "crowding")
    extents = measure(Microdata.of(table, schema, method.find_context(schema)), method, local)
    near = ~np.isnan(extents.nearest)
    sizes, distances = extents.sizes[near].astype(np.float64), extents.nearest[near]
    most = choose_bins(len(near))
    across, up = _find_edges(sizes, most), _find_edges(distances, most)
    counts = count_cells(sizes, distances, across, up)
    shown = hide_small_cells(counts)
    edges, far = _count_farthest(extents, most)
    return Crowding(
        local.rule.k,
        local.rule.eps,
        len(near),
        tuple(across),
        tuple(up),
        tuple(map(tuple, shown.tolist())),
        len(near) - int(shown.sum()),
        farthest_edges=edges,
        farthest_counts=far,
    )


def _count_farthest(extents: Neighborhoods, most: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """The rows by the distance to the farthest neighbour: inner edges, and rows between them."""
    if extents.farthest is None:
        return (), ()
    far = extents.farthest[~np.isnan(extents.farthest)]
    edges = _find_edges(far, most)
    counts = np.bincount(np.searchsorted(edges, far, side="right"), minlength=len(edges) + 1)
    return tuple(edges), tuple(hide_small_cells(counts).tolist())


def _find_edges(values: Floats, most: int) -> list[float]:
    return even_edges(values, most) if len(values) else []
