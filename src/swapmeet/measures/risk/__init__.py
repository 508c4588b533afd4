"""Risks of a release: what an intruder can do with it."""

from __future__ import annotations

from swapmeet.measures.base import Measure
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

_TABLE: tuple[type[Measure], ...] = (
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
RISKS: dict[str, type[Measure]] = {measure.name: measure for measure in _TABLE}

__all__ = ["RISKS"]
