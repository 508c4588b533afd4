"""The SJPPDS paper again: sequential joint probability preserving data shuffling."""

from __future__ import annotations

from kit.study import Study
from parts.sjppds import (
    covariance,
    lone_values,
    methods,
    one_pass,
    owners,
    relations,
    synthetic,
    times,
    trade_off,
)

STUDY = Study(
    name="sjppds",
    title="SJPPDS again: shuffling inside bins",
    paper="Elias Chaibub Neto: Statistical disclosure control for numeric microdata via sequential "
    "joint probability preserving data shuffling. Transactions on Data Privacy (2024).",
    lead="The paper permutes numbers inside bins and finds this better than seven other methods, "
    "and than CART. Its figures come out. But it measures the risk of its own method by sorting "
    "files, where an intruder would look for the nearest row.",
    parts={
        "owners": owners.run,
        "one-pass": one_pass.run,
        "trade-off": trade_off.run,
        "methods": methods.run,
        "table-a1": covariance.run,
        "cart": synthetic.run,
        "relations": relations.run,
        "lone-values": lone_values.run,
        "times": times.run,
    },
)

if __name__ == "__main__":
    STUDY.main()
