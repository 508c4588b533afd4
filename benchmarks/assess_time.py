"""How long does a card take, and how does linkage compare with one nearest-neighbour query?"""

from __future__ import annotations

import json
import warnings
from statistics import median

import numpy as np
import pandas as pd
from measure import SHARED, Figure, cpu_seconds, in_fresh_process, seconds
from sklearn.neighbors import NearestNeighbors

import swapmeet as sm

MILLION = """
import json, resource, time, warnings
import numpy as np, pandas as pd, swapmeet as sm
warnings.simplefilter("ignore", sm.SwapmeetWarning)
rng = np.random.default_rng(1)
mix = rng.normal(size=(12, 12))
table = pd.DataFrame(rng.normal(size=(1_000_000, 12)) @ mix, columns=[f"c{j}" for j in range(12)])
schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in table))
release = sm.mask(table, sm.RankSwap(window=0.1), schema=schema, seed=1)
start = time.perf_counter()
sm.assess(table, release, schema=schema, measures="all")
took = time.perf_counter() - start
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]))
"""


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    census = pd.read_csv(SHARED / "data" / "census.csv").drop(columns="PEARNVAL")
    card("whole card, census 1,080 x 12 (CPU)", census, sm.RankSwap(), 2.0)
    svcensus = pd.read_csv(SHARED / "data" / "svcensus.csv", dtype={"occ": str})
    card("whole card, svcensus 20,090 x 6 mixed (CPU)", svcensus, sm.RWN(k=10), 10.0)
    linkage()
    took, peak = json.loads(in_fresh_process(MILLION))
    Figure("whole card, 1,000,000 x 12", took, 60.0, 1.0).show()
    Figure("... peak memory, all in", peak, 4.0, 1.0, "GB").show()


def card(question: str, table: pd.DataFrame, method: sm.RWN, bound: float) -> None:
    schema = sm.Schema.guess(table, {})
    release = sm.mask(table, method, schema=schema, seed=1)
    sm.assess(table, release, schema=schema, measures="all")
    turns = [
        cpu_seconds(lambda: sm.assess(table, release, schema=schema, measures="all"))
        for _ in range(3)
    ]
    Figure(question, median(turns), bound, 1.0).show()


def linkage() -> None:
    """DBRL of all rows against a brute-force query of the nearest of them."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(100_000, 12)), columns=[f"c{j}" for j in range(12)])
    released = table + rng.normal(0.0, 0.5, table.shape)
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in table))
    ask = {"schema": schema, "match": "rows", "measures": ["dbrl"], "at_most": None}
    search = NearestNeighbors(n_neighbors=1, algorithm="brute", n_jobs=-1).fit(table.to_numpy())
    sm.assess(table[:2000], released[:2000], **ask)
    ours = seconds(lambda: sm.assess(table, released, **ask))
    peer = seconds(lambda: search.kneighbors(released.to_numpy()))
    Figure("DBRL 100,000 x 12 / one query by brute force", ours, peer, 1.2).show()


if __name__ == "__main__":
    main()
