"""neighborhoods(): how many neighbours each row has, and how far away (RWN paper, Figure 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import UsageError
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
    >>> found = sm.neighborhoods(sm.datasets.load("diabetes"), sm.RWN(k=5, eps=0.4, weights=0.1))
    >>> int(found.sizes.min()), bool((found.nearest <= found.farthest).all())
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
    found = measure_neighborhoods(data, local.space, local.rule, Workers())
    nearest, farthest = (_to_distances(squares) for squares in (found.nearest, found.farthest))
    if not isinstance(method, RWN) or method.search in IN_SPACE:
        return Neighborhoods(found.sizes, nearest, farthest)
    draw = prepare(data, local.space, _STREAMS, Workers(), method.way_to_search)
    sizes = draw(local.rule, np.empty((data.n, 0), np.int64)).sizes
    return Neighborhoods(sizes.astype(np.int64), nearest, None)


def _to_distances(squares: Floats) -> Floats:
    return np.sqrt(np.where(np.isfinite(squares), squares, np.nan))
