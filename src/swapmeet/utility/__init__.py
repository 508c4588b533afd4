"""What an analyst loses with a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.utility.associations import Associations
from swapmeet.utility.cbil import CBIL
from swapmeet.utility.cell_distance import CellDistance
from swapmeet.utility.coefficients import Coefficients
from swapmeet.utility.correlations import Correlations
from swapmeet.utility.loadings import Loadings
from swapmeet.utility.margins import Margins
from swapmeet.utility.pil import PIL
from swapmeet.utility.prediction import Prediction
from swapmeet.utility.propensity import Propensity
from swapmeet.utility.queries import Queries
from swapmeet.utility.r_squared import RSquared
from swapmeet.utility.total_correlation import TotalCorrelation

if TYPE_CHECKING:
    from swapmeet.measures import Measure

_TABLE: tuple[type[Measure], ...] = (
    Margins,
    Correlations,
    Associations,
    Loadings,
    Coefficients,
    RSquared,
    Propensity,
    PIL,
    CBIL,
    TotalCorrelation,
    Prediction,
    Queries,
    CellDistance,
)
UTILITIES: dict[str, type[Measure]] = {measure.name: measure for measure in _TABLE}

__all__ = ["UTILITIES"]
