"""What do households cost, against the same rows without?

A census of 100,000 households (about 260,000 persons) is masked level by level, with whole
households that trade, and as rows that stand alone: the same columns, which move by the same
settings. CPU seconds of all threads; the bound is 1.5 for level by level.
"""

from __future__ import annotations

import time
import warnings

from measure import Figure

import swapmeet as sm
from swapmeet.testing.examples import FACTS, make_households

HOUSEHOLDS, BOUND = 100_000, 1.5
METHODS = {
    "RWN(k=10)": sm.RWN(k=10, weights=0.1),
    "MatchedSwap(k=10, by='tree')": sm.MatchedSwap(k=10, by="tree"),
    "SJPPDS(bins=100)": sm.SJPPDS(bins=100),
    "RankSwap()": sm.RankSwap(),
    "Cart()": sm.Cart(),
}


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    small, table = make_households(300), make_households(HOUSEHOLDS)
    for name, method in METHODS.items():
        for whole in (False, True):
            sm.mask(small, method, schema=_schema(whole=whole), seed=1)
        schemas = (_rows(), _schema(whole=False), _schema(whole=True))
        turns = [[_measure(table, method, schema) for schema in schemas] for _ in range(2)]
        alone, levels, whole_ones = map(min, zip(*turns, strict=True))
        what = f"{name}, {len(table):,} persons"
        Figure(f"{what}, level by level / rows alone", levels, alone, BOUND).show()
        Figure(f"{what}, whole households / rows alone", whole_ones, alone, 4.0).show()


def _measure(table: object, method: sm.Method, schema: sm.Schema) -> float:
    begin = time.process_time()
    sm.mask(table, method, schema=schema, seed=1)
    return time.process_time() - begin


def _schema(*, whole: bool) -> sm.Schema:
    columns = tuple(sm.Column(name, *facts) for name, facts in FACTS.items())
    return sm.Schema(columns).assign(whole_households=whole, keep=["position"])


def _rows() -> sm.Schema:
    """The same columns; numbers of households are kept, and the rest moves row by row."""
    return _schema(whole=False).assign(keep=["household"])


if __name__ == "__main__":
    main()
