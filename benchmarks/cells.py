"""What do blocks that are cells in space cost, and which neighbours do they find?

Recall is the share of the k nearest rows of the whole table that are among the k nearest in a row's
block, by distance, for 400 random rows and by brute force. `python benchmarks/cells.py [ROWS]`.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from measure import Figure, cpu_seconds
from people import NUMERIC, svcensus

import swapmeet as sm
from swapmeet.algorithms.blocks import split_into_blocks
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.engines.local.engine import deal_rows, layout_in_memory
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

K, QUERIES = 10, 400
METHOD = sm.RWN(k=K)


def main(rows: int = 1_000_000) -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    for name, make in TABLES.items():
        table = make(rows)
        schema = sm.Schema.infer(table)
        found(name, table, schema, rows // 10)
        spent(name, table, schema, rows // 10)
    grows(rows)


def found(name: str, table: pd.DataFrame, schema: sm.Schema, block: int) -> None:
    """Recall, covered share and guests."""
    frame = Table(table)
    data = Microdata.of(frame, schema.in_order(frame.names))
    layout = layout_in_memory(METHOD, data, block, Seed.chosen_by_user(1), 2)
    members = list(split_into_blocks(deal_rows(layout, data, Workers())))
    guests = sum(len(m.rows) for m in members) / len(table) - 1.0
    largest = max(len(m.rows) for m in members) / block
    recall = np.mean(list(recalls(METHOD.nearness.space.points(data), members)))
    release = sm.mask(table, METHOD, schema=schema, seed=1, engine=sm.Local(block_rows=block))
    print(f"{name}: {len(members)} cells, {guests:.2f} guests per row, the largest block "
          f"{largest:.2f} times as large as asked for, recall {recall:.4f}")  # fmt: skip
    print(*release.notes[:2], sep="\n", flush=True)


def recalls(points, members):
    """For random rows of each block."""
    rng = np.random.default_rng(5)
    for member in members:
        for row in rng.choice(member.own, QUERIES // len(members) + 1):
            away = distances(points, row)
            away[row] = np.inf
            limit = np.partition(away, K - 1)[K - 1] * (1 + 1e-9)
            inside = np.partition(away[member.rows], K - 1)[:K]
            yield (inside <= limit).mean()


def distances(points, row):
    total = ((points.numbers - points.numbers[:, [row]]) ** 2).sum(axis=0)
    for codes, costs in zip(points.codes, points.costs, strict=True):
        total += np.where(codes != codes[row], costs[codes] + costs[codes[row]], 0.0)
    return total


def spent(name: str, table: pd.DataFrame, schema: sm.Schema, block: int) -> None:
    """CPU seconds in cells and in the whole, in turn."""
    sm.mask(table[:5000], METHOD, schema=schema, engine=sm.Local(block_rows=1000))
    whole, cells = (cpu_of(table, schema, size) for size in (None, block))
    Figure(
        f"RWN k={K}, {name}, {len(table):,} rows in cells / whole, CPU", cells, whole, 1.3
    ).show()


def cpu_of(table: pd.DataFrame, schema: sm.Schema, block: int | None) -> float:
    engine = sm.Local(block_rows=block)
    return cpu_seconds(lambda: sm.mask(table, METHOD, schema=schema, seed=1, engine=engine))


def grows(rows: int) -> None:
    """The exponent of CPU time from a tenth of the rows, in cells of the same size."""
    for name, make in {"svcensus": census, "mixed": mixed}.items():
        times = {}
        for n in (rows // 10, rows):
            table = make(n)
            times[n] = cpu_of(table, sm.Schema.infer(table), rows // 20)
        power = np.log10(times[rows] / times[rows // 10])
        print(f"{name}: time grows from {rows // 10:,} to {rows:,} rows as n to the {power:.2f}")


def census(n: int) -> pd.DataFrame:
    """Rows drawn from svcensus, with a jitter: three numbers and three categories."""
    return svcensus(n).astype(dict.fromkeys(NUMERIC, float))


def mixed(n: int) -> pd.DataFrame:
    """Six correlated numbers and three categories."""
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(n, 6)) + 1.5 * rng.normal(size=(n, 1))
    table = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(6)])
    for name, levels in (("sex", 2), ("region", 8), ("trade", 20)):
        shares = rng.dirichlet(np.full(levels, 2.0))
        table[name] = rng.choice([f"{name}{i}" for i in range(levels)], n, p=shares)
    return table


def numeric(n: int) -> pd.DataFrame:
    """Ten independent normal columns: the worst case for halos."""
    values = np.random.default_rng(4).normal(size=(n, 10))
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(10)])


def skewed(n: int) -> pd.DataFrame:
    """Five lognormal columns."""
    values = np.random.default_rng(5).lognormal(0.0, 1.5, size=(n, 5))
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(5)])


TABLES = {"mixed": mixed, "ten numeric": numeric, "lognormal": skewed}

if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
