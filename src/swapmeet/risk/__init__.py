"""What an intruder can do with a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.risk.dbrl import DBRL
from swapmeet.risk.dbrl_sorted import DBRLSorted
from swapmeet.risk.dcr import DCR
from swapmeet.risk.dr3 import DR3
from swapmeet.risk.interval_rmd import IntervalRMD
from swapmeet.risk.interval_sd import IntervalSD
from swapmeet.risk.k_anonymity import KAnonymity
from swapmeet.risk.outliers import Outliers
from swapmeet.risk.pscr import PSCR
from swapmeet.risk.rid import RID
from swapmeet.risk.rid_linked import RIDLinked
from swapmeet.risk.rid_sorted import RIDSorted
from swapmeet.risk.sdid import SDID
from swapmeet.risk.sdid_linked import SDIDLinked
from swapmeet.risk.sdid_sorted import SDIDSorted
from swapmeet.risk.small_cells import SmallCells
from swapmeet.risk.uniqueness import Uniqueness

if TYPE_CHECKING:
    from swapmeet.measures import Measure

_TABLE: tuple[type[Measure], ...] = (
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
    KAnonymity,
    Uniqueness,
    SmallCells,
    Outliers,
)
RISKS: dict[str, type[Measure]] = {measure.name: measure for measure in _TABLE}

__all__ = ["RISKS"]
