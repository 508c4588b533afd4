"""Measures that are taken of all rows find the same in pieces as in the whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.measures.base import Coverage
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.utility import cell_distance
from swapmeet.release.provenance import Provenance
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Role

N, CUTS = 400, (0, 90, 91, 300, 400)


@dataclass(frozen=True, repr=False, eq=False)
class InPieces(Comparison):
    """Shows its rows piece by piece, and combinations of values group by group."""

    @property
    def in_memory(self):
        return False

    def gather(self, look, names=None):
        return reduce(add, (look(self.piece(np.arange(*cut))) for cut in pairwise(CUTS)))

    def gather_classes(self, look, names, also=()):
        original, released = self.combinations(names)
        same = original == released
        data = self.released.select((*names, *also))
        return reduce(add, (
            look(EquivalenceClasses(
                original[original % 3 == part], released[released % 3 == part],
                same[original % 3 == part], data.block(np.flatnonzero(released % 3 == part)),
                None if self.weights is None else self.weights[original % 3 == part],
            ))
            for part in (2, 0, 1)
        ))  # fmt: skip

    def pick_rows(self, rows):
        return self.piece(rows)

    def piece(self, rows):
        return Comparison(
            self.original.block(rows), self.released.block(rows), self.masked, self.known,
            first=int(rows[0]),
        )  # fmt: skip


def tables(*, weighted):
    rng = np.random.default_rng(8)
    common = rng.normal(size=N)
    people = pd.DataFrame(
        {
            "age": np.round(40 + 9 * common),
            "wage": np.exp(common + rng.normal(size=N)),
            "weight": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)),
            "sex": rng.choice(["f", "m"], N),
            "town": rng.choice(list("abc"), N, p=[0.85, 0.13, 0.02]),
        }
    )
    if weighted:
        people["w"] = rng.lognormal(size=N)
    schema = sm.Schema.guess(people, {}).assign(
        key=["age", "sex", "weight"], sensitive=["wage", "town"], weight=["w"] if weighted else []
    )
    return people, sm.mask(people, sm.RWN(k=7, weights=0.05), schema=schema, seed=4).data, schema


@pytest.fixture(scope="module", params=[False, True], ids=["unweighted", "weighted"])
def both(request):
    people, released, schema = tables(weighted=request.param)
    one, other = Microdata.of_both(Table(people), Table(released), schema.columns)
    claim = Provenance.claim(N)
    return [
        kind(one, other, schema.masked, ("age", "sex"), provenance=claim)
        for kind in (Comparison, InPieces)
    ]


@pytest.mark.parametrize(
    "name", [n for n, m in MEASURES.items() if m.coverage is not Coverage.SAMPLE]
)
def test_a_measure_finds_the_same_in_pieces(both, name, monkeypatch):
    monkeypatch.setattr(cell_distance, "MANY", 10)
    monkeypatch.setattr("swapmeet.comparison.intervals.MANY", 10)
    if Role.WEIGHT in MEASURES[name].needs and both[0].weights is None:
        pytest.skip("it needs a weight")
    whole, pieces = (MEASURES[name]().score_or_reason(c).to_dict() for c in both)
    assert not whole["undefined"]
    assert flat(pieces) == pytest.approx(flat(whole), rel=1e-9)


def flat(score):
    """The figures of a score, by name; the texts are left out."""
    figures = {"value": score["value"]} | dict(enumerate(score["interval"] or ()))
    for key, detail in score["details"].items():
        some = enumerate(detail) if isinstance(detail, list) else [("", detail)]
        figures |= {f"{key} {i}": d for i, d in some if isinstance(d, (int, float))}
    return figures
