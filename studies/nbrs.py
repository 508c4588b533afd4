"""NBRS (Matloff and Tendick 2018), again."""

from __future__ import annotations

from kit.study import Study
from parts.nbrs.rare_record import make_rare_record
from parts.nbrs.regression import make_regression
from parts.nbrs.suppression import make_suppression
from parts.nbrs.verdicts import make_verdicts

STUDY = Study(
    name="nbrs",
    title="NBRS again: redrawing records within a ball",
    paper="Norman Matloff, Patrick Tendick: A new method for avoiding data disclosure while "
    "automatically preserving multivariate relations, 2018.",
    lead="Each record redraws its values from records nearby. The paper judges a release by a "
    "regression, and by the record of one woman.",
    parts={
        "regression": make_regression,
        "record-7997": make_rare_record,
        "suppression": make_suppression,
        "verdict": make_verdicts,
    },
)

if __name__ == "__main__":
    STUDY.main()
