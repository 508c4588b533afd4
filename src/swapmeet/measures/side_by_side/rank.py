"""The rank of a model: terms that can be distinguished, and terms that cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.score import Undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats

RANK = 1e-10
"""A term of length 1 of which less is left beside those before it repeats them."""


def normalize_columns(design: Floats) -> tuple[Floats, Floats]:
    """The columns at length 1, and their lengths; those of columns of zeros count as 1."""
    lengths = np.sqrt((design**2).sum(axis=0))
    lengths[lengths == 0.0] = 1.0
    return design / lengths, lengths


def name_repeated(names: Sequence[str], triangle: Floats) -> list[str]:
    """The terms that repeat those before them, by the triangle of the QR decomposition.

    >>> name_repeated(["a", "b"], np.array([[1.0, 1.0], [0.0, 0.0]]))
    ['b']
    """
    weak = np.abs(np.diag(triangle)) < RANK
    return [name for name, is_weak in zip(names, weak, strict=True) if is_weak]


def require_rank(names: Sequence[str], design: Floats, *, spare: int = 0) -> None:
    """Leave where there are too few rows, or where terms are combinations of others."""
    n, p = design.shape
    if n < p + spare:
        raise Undefined(f"{n} rows for {p} terms")
    scaled, _ = normalize_columns(design)
    culprits = name_repeated(names, np.asarray(np.linalg.qr(scaled, mode="r")))
    if culprits:
        verb = "repeats" if len(culprits) == 1 else "repeat"
        raise Undefined(f"{', '.join(culprits)} {verb} the others")
