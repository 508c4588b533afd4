"""Result of a model on one table: coefficients and their standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.quantiles import normal_quantile, student_quantile

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Estimate:
    """Coefficients, the standard errors that an analyst reads, and `robust` ones, which also hold
    where errors vary with the terms; `freedom` are the degrees of freedom of the t distribution.
    """

    names: tuple[str, ...]
    beta: Floats
    errors: Floats
    robust: Floats
    rows: int
    freedom: float = np.inf
    r_squared: float | None = None

    def __repr__(self) -> str:
        return f"<Estimate of {len(self.names)} coefficients from {self.rows} rows>"

    def half_width(self, level: float) -> float:
        """Half the width of an interval of this level, in standard errors."""
        tail = 0.5 + level / 2.0
        if np.isinf(self.freedom):
            return normal_quantile(tail)
        return student_quantile(tail, self.freedom)
