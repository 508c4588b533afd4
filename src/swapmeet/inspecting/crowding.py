"""crowding(): how large RWN's neighbourhoods are, and how isolated rows (paper, Figure 1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.algorithms.neighbors import NeighborSearch, Rule
from swapmeet.core.base.parallel import Workers
from swapmeet.core.base.seeds import Seed
from swapmeet.core.tables.frame import Frame, Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.schema import Schema, fit_schema
from swapmeet.errors import UsageError
from swapmeet.measures.side_by_side.bins import LEAST, even_edges
from swapmeet.measures.side_by_side.cells import choose_bins, count_cells, hide_small_cells
from swapmeet.methods import RWN
from swapmeet.methods.neighbourhood import measure_distances, prepare

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_STREAMS = Seed(bytes(32)).within("crowding")
"""Not a secret: the same table gives the same picture."""


@dataclass(frozen=True)
class Crowding:
    """Rows by the size of their neighbourhood and the distance to the closest other row.

    `counts[i][j]` are the rows in bin i of sizes and bin j of distances; a cell of fewer than
    `least` rows counts 0, and `left_out` is the number of rows in such cells. Edges are the inner
    ones; the outermost bins are open.
    """

    k: int
    eps: float
    rows: int
    size_edges: tuple[float, ...]
    distance_edges: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    left_out: int
    least: int = LEAST

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def crowding(data: Frame, method: RWN, *, schema: Schema | None = None) -> Crowding:
    """The neighbourhoods that `method` would draw from, before anything is masked.

    Distances are the method's own. Where there are strata, both the neighbourhood and the closest
    row are those of the row's stratum.

    >>> import swapmeet as sm
    >>> found = crowding(sm.datasets.load("diabetes"), sm.RWN(k=5, eps=0.3, weights=0.1))
    >>> found.rows, sum(map(sum, found.counts)) + found.left_out
    (442, 442)
    """
    _require_rwn(method)
    table = Table.of(data)
    microdata = Microdata.of(table, fit_schema(schema, table, "crowding"))
    sizes, distances = _count_neighbours(microdata, method), _find_nearest(microdata, method)
    most = choose_bins(microdata.n)
    across, up = even_edges(sizes, most), even_edges(distances, most)
    counts = count_cells(sizes, distances, across, up)
    shown = hide_small_cells(counts)
    return Crowding(
        method.k,
        method.eps,
        microdata.n,
        tuple(across),
        tuple(up),
        tuple(map(tuple, shown.tolist())),
        int(counts.sum() - shown.sum()),
    )


def _require_rwn(method: object) -> None:
    if not isinstance(method, RWN):
        raise UsageError(
            "crowding: `method` must be RWN, such as RWN(k=5, eps=0.2); "
            f"got {getattr(method, '__name__', type(method).__name__)}."
        )


def _count_neighbours(data: Microdata, method: RWN) -> Floats:
    space = Space(method.scale, method.weights)
    search = NeighborSearch(method.search, sample=method.sample, parts=method.parts)
    rule = Rule(k=method.k, eps=method.eps, ties=method.ties)
    draw = prepare(data, space, _STREAMS, Workers(), search)
    return draw(rule, np.empty((data.n, 0), np.int64)).sizes.astype(np.float64)


def _find_nearest(data: Microdata, method: RWN) -> Floats:
    """The distance of each row to the closest other one."""
    space = Space(method.scale, method.weights)
    others = np.zeros((data.n, 1), np.int64)
    prepare(data, space, _STREAMS, Workers())(Rule(k=1), others)
    return measure_distances(space.points(data), others[:, 0])
