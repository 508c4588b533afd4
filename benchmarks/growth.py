"""How do time and memory of every method and every measure grow with rows and with columns?

Each run is a process of its own: CPU seconds of all threads, and the peak of memory above what the
process held before, the table above all. Rows go up by tens until a run would take too long.
`python growth.py rwn dbrl` looks at these only; `--most 1000000` ends at so many rows.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from math import log

from measure import in_fresh_process

from swapmeet.measures.registry import MEASURES

ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
COLUMNS = (4, 8, 16, 32)
USUAL_COLUMNS, USUAL_ROWS = 8, 100_000
PATIENCE = 40.0
"""CPU seconds that a run may be expected to take."""
MEMORY = 14_000
"""... and MiB."""
FLOOR = 0.05
"""Shorter runs tell nothing about growth."""
METHODS = {
    "matched-swap": "MatchedSwap(k=10)",
    "rwn": "RWN(k=10)",
    "nbrs": "NBRS(eps=0.5)",
    "sjppds": "SJPPDS(bins=100)",
    "mews": "MEWS(width=0.05)",
    "meds": "MEDS(k=5)",
    "microaggregation": "Microaggregation(k=5)",
    "kl-theta": "KLTheta(k=6, l=2, theta=0.7)",
    "rank-swap": "RankSwap(window=0.05)",
    "noise": "Noise()",
    "cart": "Cart()",
    "data-shuffle": "DataShuffle()",
    "per-column": "PerColumn(parts=[(SJPPDS(bins=100), list(schema.masked))])",
}
RUN = """
import ctypes, gc, resource, sys, time, warnings
sys.path.insert(0, {folder!r})
import swapmeet as sm
from swapmeet import *
from people import growing, roles
warnings.simplefilter("ignore", sm.SwapmeetWarning)

def prepared(rows):
    table = growing(rows, {columns})
    schema = roles(table, {name!r})
    return table, schema{release}

def work(table, schema, release):
    {work}

work(*prepared(2000))
given = prepared({rows})
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
cpu = time.process_time()
work(*given)
cpu = time.process_time() - cpu
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) * 1024
print(cpu, (peak - before) / 2**20)
"""
MASK = "sm.mask(table, {method}, schema=schema, seed=1, engine=sm.Local(block_rows={block}))"
ASSESS = "sm.assess(table, release, schema=schema, measures=[{name!r}])"
RELEASED = ", sm.mask(table, sm.SJPPDS(bins=100), schema=schema, seed=1)"


@dataclass(frozen=True)
class Run:
    """What was run on a table of this size, and what it took."""

    rows: int
    columns: int
    seconds: float
    memory: float


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("names", nargs="*")
    asked.add_argument("--most", type=int, default=ROWS[-1])
    asked.add_argument("--block", type=int, default=None)
    given = asked.parse_args()
    print(f"| what | CPU s at {' | '.join(f'{n:.0e}' for n in ROWS)} | n^ | bytes per row | p^ |")
    for name in given.names or [*METHODS, *MEASURES]:
        runs = by_rows(name, given.most, given.block)
        show(name, runs, by_columns(name, runs, given.block))


def by_rows(name: str, most: int, block: int | None) -> list[Run]:
    """Runs on more and more rows, while the next is expected to be bearable."""
    runs: list[Run] = []
    for rows in ROWS:
        if rows > most or (runs and not is_bearable(runs, rows)):
            break
        runs.append(measured(name, rows, USUAL_COLUMNS, block))
    return runs


def by_columns(name: str, runs: list[Run], block: int | None) -> list[Run]:
    """Runs on more and more columns."""
    rows = max((r.rows for r in runs if r.rows <= USUAL_ROWS), default=ROWS[0])
    found: list[Run] = []
    for columns in COLUMNS:
        if found and found[-1].seconds * 4 > PATIENCE:
            break
        found.append(measured(name, rows, columns, block))
    return found


def is_bearable(runs: list[Run], rows: int) -> bool:
    factor = rows / runs[-1].rows
    growth = max(exponent([(r.rows, r.seconds) for r in runs]) or 1.0, 1.0)
    time = runs[-1].seconds * factor**growth
    return time <= PATIENCE and runs[-1].memory * factor <= MEMORY


def measured(name: str, rows: int, columns: int, block: int | None) -> Run:
    method = METHODS.get(name)
    work = ASSESS.format(name=name) if method is None else MASK.format(method=method, block=block)
    release = RELEASED if method is None else ", None"
    code = RUN.format(folder=sys.path[0], columns=columns, rows=rows, name=name,
                      work=work, release=release)  # fmt: skip
    seconds, memory = map(float, in_fresh_process(code).split())
    return Run(rows, columns, seconds, memory)


def exponent(points: list[tuple[int, float]]) -> float | None:
    """Growth between the two largest sizes whose times say something."""
    told = [(size, time) for size, time in points if time >= FLOOR]
    if len(told) < 2:
        return None
    (small, less), (large, more) = told[-2:]
    return log(more / less) / log(large / small)


def show(name: str, runs: list[Run], wider: list[Run]) -> None:
    times = [f"{run.seconds:.2f}" for run in runs] + [""] * (len(ROWS) - len(runs))
    growth = exponent([(run.rows, run.seconds) for run in runs])
    across = exponent([(run.columns, run.seconds) for run in wider])
    per_row = runs[-1].memory * 2**20 / runs[-1].rows
    cells = [name, *times, told(growth), f"{per_row:.0f}", told(across)]
    print(f"| {' | '.join(cells)} |", flush=True)


def told(growth: float | None) -> str:
    return "" if growth is None else f"{growth:.2f}"


if __name__ == "__main__":
    main()
