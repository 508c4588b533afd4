"""Losses of an analyst with a release."""

from __future__ import annotations

from swapmeet.measures.base import Measure
from swapmeet.measures.utility.cell_distance import CellDistance
from swapmeet.measures.utility.correlations import CBIL, Correlations, Loadings
from swapmeet.measures.utility.margins import Margins
from swapmeet.measures.utility.pil import PIL
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.measures.utility.propensity import Propensity
from swapmeet.measures.utility.queries import Queries
from swapmeet.measures.utility.regression import Coefficients, RSquared
from swapmeet.measures.utility.relations import Associations, Relations
from swapmeet.measures.utility.screened_propensity import ScreenedPropensity
from swapmeet.measures.utility.spread import Spread
from swapmeet.measures.utility.ties import BrokenTies
from swapmeet.measures.utility.total_correlation import TotalCorrelation

_TABLE: tuple[type[Measure], ...] = (
    Margins,
    Spread,
    Correlations,
    Associations,
    Relations,
    BrokenTies,
    Loadings,
    Coefficients,
    RSquared,
    Propensity,
    ScreenedPropensity,
    PIL,
    CBIL,
    TotalCorrelation,
    Prediction,
    Queries,
    CellDistance,
)
UTILITIES: dict[str, type[Measure]] = {measure.name: measure for measure in _TABLE}

__all__ = ["UTILITIES"]
