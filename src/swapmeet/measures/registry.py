"""All measures, by name."""

from __future__ import annotations

from collections.abc import Iterable

from swapmeet.comparison.score import Family
from swapmeet.errors import ParameterError, UsageError, did_you_mean
from swapmeet.measures.analyses import find_analysis, is_analysis
from swapmeet.measures.base import Measure
from swapmeet.measures.default_limits import ALL as ALL
from swapmeet.measures.default_limits import DEFAULT_MEASURES
from swapmeet.measures.risk.copies import Copies
from swapmeet.measures.risk.diversity import LDiversity, TCloseness
from swapmeet.measures.risk.dr3 import DR3
from swapmeet.measures.risk.inference import Inference
from swapmeet.measures.risk.interval_disclosure import (
    RID,
    SDID,
    IntervalSD,
    RIDLinked,
    RIDSorted,
    SDIDLinked,
    SDIDSorted,
)
from swapmeet.measures.risk.interval_rmd import IntervalRMD
from swapmeet.measures.risk.k_anonymity import KAnonymity, Uniqueness
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.measures.risk.membership import Membership
from swapmeet.measures.risk.nearest_record import DBRL, DCR, PSCR, DBRLSorted
from swapmeet.measures.risk.outliers import Outliers
from swapmeet.measures.risk.population_risk import (
    HouseholdRisk,
    IndividualRisk,
    PopulationUniqueness,
)
from swapmeet.measures.risk.small_cells import SmallCells
from swapmeet.measures.risk.unit_linkage import HouseholdLinkage, PersonLinkage
from swapmeet.measures.utility.cell_distance import CellDistance
from swapmeet.measures.utility.correlations import CBIL, Correlations, Loadings
from swapmeet.measures.utility.margins import Margins, Spread
from swapmeet.measures.utility.pil import PIL
from swapmeet.measures.utility.prediction import Prediction
from swapmeet.measures.utility.propensity import Propensity
from swapmeet.measures.utility.queries import Queries
from swapmeet.measures.utility.regression import Coefficients, RSquared
from swapmeet.measures.utility.relations import Associations, Relations
from swapmeet.measures.utility.screened_propensity import ScreenedPropensity
from swapmeet.measures.utility.ties import BrokenTies
from swapmeet.measures.utility.total_correlation import TotalCorrelation

_RISKS: tuple[type[Measure], ...] = (
    Linkage,
    HouseholdLinkage,
    PersonLinkage,
    Copies,
    Membership,
    PSCR,
    DBRL,
    RID,
    SDID,
    DBRLSorted,
    RIDSorted,
    SDIDSorted,
    RIDLinked,
    SDIDLinked,
    DR3,
    IntervalSD,
    IntervalRMD,
    DCR,
    Inference,
    KAnonymity,
    LDiversity,
    TCloseness,
    Uniqueness,
    SmallCells,
    IndividualRisk,
    HouseholdRisk,
    PopulationUniqueness,
    Outliers,
)
"""Risks of a release: what an intruder can do with it."""
_UTILITIES: tuple[type[Measure], ...] = (
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
"""Losses of an analyst with a release."""
RISKS = {measure.name: measure for measure in _RISKS}
UTILITIES = {measure.name: measure for measure in _UTILITIES}
MEASURES = {**RISKS, **UTILITIES}
"""All measures, by the name the command line knows them by."""


def make(text: str) -> Measure:
    """The measure of this name, with parameters if some follow.

    Several names or pairs in a parameter are between bars.

    >>> make("queries:target=occupation:conditions=2").settings()["conditions"]
    2
    >>> make("queries:keys=sex|age:sizes=sex=2|age=35").settings()["sizes"]
    {'sex': 2.0, 'age': 35.0}
    """
    if is_analysis(text):
        return find(text)()
    name, *pairs = text.split(":")
    settings = {}
    for pair in pairs:
        parameter, sign, value = pair.partition("=")
        if not sign:
            raise ParameterError(f"{name}: write parameters as {name}:name=value; got {pair!r}.")
        settings[parameter.strip()] = value.strip().replace("|", ",")
    return find(name.strip()).from_settings(settings)


def find(name: str) -> type[Measure]:
    """The measure of this name, be it the text of an analysis or of a group."""
    if is_analysis(name):
        return find_analysis(name)
    if name not in MEASURES:
        raise ParameterError(say_unknown(name))
    return MEASURES[name]


def split_measures(
    measures: str | Iterable[str | Measure] | None,
) -> tuple[str | Measure, ...] | None:
    """The measures asked for; a single one may be named by itself."""
    if measures is None:
        return None
    return (measures,) if isinstance(measures, str) else tuple(measures)


def say_unknown(name: str, known: Iterable[str] = MEASURES) -> str:
    """Say that there is no such measure, and which up to three have names like it.

    >>> say_unknown("linkge")[:66]
    "no measure 'linkge'; did you mean 'linkage', 'rid-linked' or 'pers"
    """
    return f"no measure {name!r}{did_you_mean(name, known, 3)} All measures: swapmeet measures."


def chosen_measures(measures: Iterable[str | Measure] | None) -> list[Measure]:
    """The measures asked for, by name or as they are; None are the default ones."""
    wanted = DEFAULT_MEASURES if measures is None else measures
    chosen = [one for m in wanted for one in _make_each(m)]
    strange = [m for m in chosen if not isinstance(m, Measure)]
    if strange:
        raise UsageError(
            "assess: `measures` must be names or measures, such as 'dbrl' or DCR(scale=\"raw\"); "
            f"got a {type(strange[0]).__name__}."
        )
    for measure in chosen:
        if not isinstance(getattr(measure, "family", None), Family):
            raise UsageError(
                f"assess: the measure {measure.name!r} does not say what it measures. Set its "
                "`family` to Family.RISK or Family.UTILITY."
            )
    return [*{measure.name: measure for measure in chosen}.values()]


def _make_each(measure: str | Measure) -> list[Measure]:
    """Make the measure of this name, or all."""
    if not isinstance(measure, str):
        return [measure]
    return [one() for one in MEASURES.values()] if measure == ALL else [make(measure)]
