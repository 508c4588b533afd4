"""Python objects of one sort in a column, so that none tells by its type where it came from."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Objects = NDArray[np.object_]


def unify_objects(cells: Objects) -> Objects:
    """Equal values as equal objects: 5 and 5.0, None and NaN, Decimal("1.0") and Decimal("1.00").

    A column of mixed types, which no method moves, stays as it is.
    """
    import pandas as pd

    missing = pd.isna(cells)
    unified = cells.copy()
    if _is_varied(cells[~missing].tolist()):
        unified = _unify_by_arrow(cells, missing)
    if len(set(map(type, cells[missing].tolist()))) > 1:
        unified[missing] = None
    return unified


def _is_varied(known: list[Any]) -> bool:
    if set(map(type, known)) <= {str}:
        return False
    return len(set(map(_sort_of, known))) > 1


def _sort_of(cell: Any) -> tuple[Any, ...]:
    if isinstance(cell, Decimal):
        return Decimal, cell.as_tuple().exponent, cell.is_signed() and not cell
    return type(cell), getattr(cell, "tzinfo", None)


def _unify_by_arrow(cells: Objects, missing: NDArray[np.bool_]) -> Objects:
    unified = cells.copy()
    try:
        known = pa.array(cells[~missing], from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError):
        return unified
    found = np.empty(len(known), dtype=object)
    found[:] = known.to_pylist()
    unified[~missing] = found
    return unified
