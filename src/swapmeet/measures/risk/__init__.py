"""Risks of a release: what an intruder can do with it."""

from __future__ import annotations

from swapmeet.measures.base import Measure
from swapmeet.measures.risk.copies import Copies
from swapmeet.measures.risk.dbrl import DBRL, DBRLSorted
from swapmeet.measures.risk.dcr import DCR
from swapmeet.measures.risk.dr3 import DR3
from swapmeet.measures.risk.household_linkage import HouseholdLinkage
from swapmeet.measures.risk.household_risk import HouseholdRisk
from swapmeet.measures.risk.individual_risk import IndividualRisk
from swapmeet.measures.risk.inference import Inference
from swapmeet.measures.risk.interval_rmd import IntervalRMD
from swapmeet.measures.risk.interval_sd import IntervalSD
from swapmeet.measures.risk.k_anonymity import KAnonymity
from swapmeet.measures.risk.l_diversity import LDiversity
from swapmeet.measures.risk.linkage import Linkage
from swapmeet.measures.risk.membership import Membership
from swapmeet.measures.risk.outliers import Outliers
from swapmeet.measures.risk.person_linkage import PersonLinkage
from swapmeet.measures.risk.population_uniqueness import PopulationUniqueness
from swapmeet.measures.risk.pscr import PSCR
from swapmeet.measures.risk.rid import RID, RIDLinked, RIDSorted
from swapmeet.measures.risk.sdid import SDID, SDIDLinked, SDIDSorted
from swapmeet.measures.risk.small_cells import SmallCells
from swapmeet.measures.risk.t_closeness import TCloseness
from swapmeet.measures.risk.uniqueness import Uniqueness

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
