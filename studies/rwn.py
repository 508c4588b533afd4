"""The RWN paper again: every table and figure from its data, beside what is printed."""

from __future__ import annotations

from kit.study import Study
from parts.rwn import (
    body_fat,
    comparison,
    intruder,
    k_anonymity,
    large_data,
    neighbourhoods,
    nominal,
    prediction,
    standard_errors,
    theorem,
    trade_off,
    variance,
)

STUDY = Study(
    name="rwn",
    title="Randomization within neighbourhoods",
    paper="Perry, Matloff and Tendick (2024), RWN: A Novel Neighborhood-Based Method for "
    "Statistical Disclosure Control",
    lead="Its tables and figures from its data, beside the printed numbers.",
    parts={
        "k-anonymity": k_anonymity.run,
        "neighbourhoods": neighbourhoods.run,
        "trade-off": trade_off.run,
        "body-fat": body_fat.run,
        "comparison": comparison.run,
        "prediction": prediction.run,
        "variance": variance.run,
        "nominal": nominal.run,
        "standard-errors": standard_errors.run,
        "theorem": theorem.run,
        "large-data": large_data.run,
        "intruder": intruder.run,
    },
)

if __name__ == "__main__":
    STUDY.main()
