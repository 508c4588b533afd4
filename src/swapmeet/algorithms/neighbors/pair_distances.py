"""Distances of all pairs of rows by a function of the user's, some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import ParameterError, SwapmeetError
from swapmeet.tables.microdata import LARGEST, split_by_stratum

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from swapmeet.base.arrays import Floats, Groups, Ints
    from swapmeet.base.named_function import NamedFunction
    from swapmeet.base.parallel import Workers

    Look = Callable[[Ints, Ints, Floats], None]

PAIRS = 1_000_000
"""So many distances are asked for at once, or those of one row."""
TRIED = 7
"""Of so many rows it is tried whether a distance depends on the two rows only."""
SHAPES = (
    "Columns of the first mapping have the shape (rows, 1), those of the second (1, candidates)."
)


@dataclass(frozen=True, repr=False, eq=False)
class PairDistances:
    """Distances of rows by a `function` of their `columns`, which are given by name.

    The function is called with two mappings, of the columns of some rows and of the columns of
    their candidates, and gives an array (rows, candidates) of distances.
    """

    function: NamedFunction
    columns: Mapping[str, npt.NDArray[Any]]

    def __repr__(self) -> str:
        return f"<PairDistances by {self.function!r}>"

    def each(self, strata: Groups, workers: Workers, look: Look) -> None:
        """Show `look` rows, their candidates and squared distances, infinite to themselves."""
        self._try_out(len(strata))
        blocks = [
            (at, at + size, stratum)
            for stratum in split_by_stratum(np.arange(len(strata)), strata)
            for size in (max(PAIRS // len(stratum), 1),)
            for at in range(0, len(stratum), size)
        ]

        def some_blocks(begin: int, end: int) -> None:
            for first, last, stratum in blocks[begin:end]:
                rows = stratum[first:last]
                squares = self.measure(rows, stratum) ** 2
                places = np.arange(len(rows))
                squares[places, first + places] = np.inf
                look(rows, stratum, squares)

        workers.each(some_blocks, len(blocks), size=1, label="neighbourhoods")

    def measure(self, rows: Ints, others: Ints) -> Floats:
        """The distances of rows to others, checked."""
        ours = {name: values[rows][:, np.newaxis] for name, values in self.columns.items()}
        theirs = {name: values[others][np.newaxis] for name, values in self.columns.items()}
        try:
            found = self.function(ours, theirs)
        except SwapmeetError:
            raise
        except Exception as error:
            raise ParameterError(
                f"{self._named} failed with {type(error).__name__}. It is called with two mappings "
                f"of the columns {', '.join(self.columns)}. {SHAPES}"
            ) from error
        return self._check(found, (len(rows), len(others)))

    @property
    def _named(self) -> str:
        return f"`distance`: the function {self.function!r}"

    def _check(self, found: Any, shape: tuple[int, int]) -> Floats:
        distances = np.asarray(found)
        if distances.shape != shape or distances.dtype.kind not in "biuf":
            raise ParameterError(
                f"{self._named} must give numbers of the shape {shape}, for {shape[0]} rows and "
                f"{shape[1]} candidates; it gave {distances.dtype} of {distances.shape}. {SHAPES}"
            )
        distances = distances.astype(np.float64)
        strange = int(np.count_nonzero(~(np.abs(distances) <= LARGEST)))
        negative = int(np.count_nonzero(distances < 0.0))
        if strange or negative:
            raise ParameterError(
                f"{self._named} must give finite distances from 0 up; of {distances.size:,}, "
                f"{strange:,} are missing, infinite or too large, and {negative:,} are negative. "
                "Missing numbers are NaN and missing categories None: say how far they are away."
            )
        return distances

    def _try_out(self, n: int) -> None:
        """Refuse a function that draws numbers, or whose distances depend on other rows."""
        rows = np.unique(np.linspace(0, n - 1, TRIED).astype(np.int64))
        whole = self.measure(rows, rows)
        for one in range(min(len(rows), 2)):
            alone = self.measure(rows[one : one + 1], rows[one + 1 :])[0]
            if not np.allclose(alone, whole[one, one + 1 :], rtol=1e-9, atol=0.0):
                raise ParameterError(
                    f"{self._named} gives a pair of rows another distance when it is asked again, "
                    "or among other rows. It must depend on the values of the two rows only: "
                    "compute means, ranges and the like of the whole table beforehand."
                )
