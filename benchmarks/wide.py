"""How long does a wide table take, and how much memory: the whole card, a mask, matched swapping?

`python benchmarks/wide.py` prints the figures of 20,000 × 800 (card), 200,000 × 800 (mask) and
50 × 2,000 (matched swapping); names of these parts choose some of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measure import Figure, in_fresh_process

FACTORS = 10
LEVELS = np.array([f"level {at}" for at in range(30)])

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(one.split()[1]) for one in status if one.startswith("VmHWM")) / 1e6
"""

CARD = """
import json, sys, time, warnings
import pyarrow.parquet as pq, swapmeet as sm
from swapmeet.measures.base import Measure
warnings.simplefilter("ignore", sm.SwapmeetWarning)
table = pq.read_table(f"{folder}/people.parquet")
release = pq.read_table(f"{folder}/release.parquet")
audit = sm.AuditRecord.load(f"{folder}/release.audit")
plain = Measure.score_or_reason
def timed(self, comparison):
    cpu, wall = time.thread_time(), time.time()
    score = plain(self, comparison)
    cpu, wall = time.thread_time() - cpu, time.time() - wall
    print(f"  {self.name:<24}{cpu:7.1f} s in its thread, {wall:5.0f} s by the clock, peak "
          f"{peak():5.2f} GB", file=sys.stderr, flush=True)
    return score
Measure.score_or_reason = timed
start = time.process_time()
card = sm.assess(table, release, audit=audit, threads=2)
print(json.dumps([time.process_time() - start, peak()]))
"""

MASK = """
import json, time, warnings
import swapmeet as sm
warnings.simplefilter("ignore", sm.SwapmeetWarning)
start = time.process_time()
sm.mask_file(f"{folder}/many.parquet", f"{folder}/masked.parquet", sm.RankSwap(), seed=1,
             memory="2GB", overwrite=True)
print(json.dumps([time.process_time() - start, peak()]))
"""

MATCHED = """
import json, time, warnings
import pyarrow.parquet as pq, swapmeet as sm
warnings.simplefilter("ignore", sm.SwapmeetWarning)
table = pq.read_table(f"{folder}/wide.parquet")
start = time.process_time()
sm.mask(table, sm.MatchedSwap(), seed=1)
print(json.dumps([time.process_time() - start, peak()]))
"""


def main(wanted: list[str]) -> None:
    parts = {"card": show_card, "mask": show_mask, "matched": show_matched}
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted or parts:
            parts[name](Path(folder))


def show_card(folder: Path) -> None:
    """All measures of 20,000 × 800, released by rank swapping, with the audit record."""
    import swapmeet as sm

    table = make_people(20_000, 800)
    release = sm.mask(table, sm.RankSwap(), seed=1)
    pq.write_table(table, folder / "people.parquet")
    pq.write_table(release.shuffled(), folder / "release.parquet")
    release.audit.save(folder / "release.audit")
    took, peak = run(CARD, folder)
    Figure("whole card, 20,000 x 800 (CPU)", took, 600.0, 1.0).show()
    Figure("... peak memory, all in", peak, 4.0, 1.0, "GB").show()


def show_mask(folder: Path) -> None:
    """Parquet to Parquet in 2 GB."""
    write_many(folder / "many.parquet", 200_000, 800)
    took, peak = run(MASK, folder)
    Figure("mask 200,000 x 800 by rank-swap, --memory 2GB (CPU)", took, 76.0, 1.0).show()
    Figure("... peak memory, all in", peak, 2.0, 1.0, "GB").show()


def show_matched(folder: Path) -> None:
    """Few rows of very many columns."""
    pq.write_table(make_people(50, 2_000), folder / "wide.parquet")
    took, _ = run(MATCHED, folder)
    Figure("matched-swap 50 x 2,000 (CPU)", took, 48.0, 0.5).show()


def run(code: str, folder: Path) -> list[float]:
    """CPU seconds and peak memory of a new interpreter."""
    return json.loads(in_fresh_process(f"folder = {str(folder)!r}\n{PEAK}{code}", show=True))


def make_people(rows: int, columns: int, seed: int = 1) -> pa.Table:
    """Numbers and categories that are related, some constant, some with missing values."""
    rng = np.random.default_rng(seed)
    draw = np.random.default_rng(0)
    factors = rng.normal(size=(rows, FACTORS))
    made = {}
    for at in range(columns):
        slopes = draw.normal(size=FACTORS) * (draw.random(FACTORS) < 0.3)
        made[f"v{at:05d}"] = make_column(at, factors @ slopes + rng.normal(size=rows), rng)
    return pa.table(made)


def make_column(at: int, x: np.ndarray, rng: np.random.Generator) -> pa.Array:
    """One of ten kinds: five of numbers, five of categories; every fortieth is constant."""
    if at % 40 == 39:
        return pa.array(np.full(len(x), "same" if at % 80 == 79 else 7))
    match at % 10:
        case 0 | 1 | 2:
            return pa.array(np.round(x, 3))
        case 3:
            return pa.array(np.round(x * 10 + 50).astype(int))
        case 4:
            return pa.array(np.round(x, 2), mask=rng.random(len(x)) < 0.1)
        case 5 | 6:
            return pa.array(LEVELS[np.clip((x + 4).astype(int), 0, 7)])
        case 7:
            return pa.array(np.where(x > 0, "yes", "no"))
        case 8:
            return pa.array(LEVELS[np.clip((x + 3).astype(int), 0, 4)])
        case _:
            levels = LEVELS[np.clip((x * 5 + 15).astype(int), 0, 29)]
            return pa.array(levels, mask=rng.random(len(x)) < 0.05)


def write_many(path: Path, rows: int, columns: int, piece: int = 20_000) -> None:
    """The same people again and again, never in memory as a whole."""
    table = make_people(piece, columns)
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(rows // piece):
            writer.write_table(table)


if __name__ == "__main__":
    main(sys.argv[1:])
