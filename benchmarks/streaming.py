"""What does it cost to mask a Parquet file piece by piece, in time and memory?

Against reading the file with pyarrow, one permutation and one `take` per column, and writing it.
Each run is a process of its own. With 10,000,000 rows: `python streaming.py 10000000`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measure import Figure, in_fresh_process

SIZES = (1_000_000, 10_000_000)
COLUMNS, GROUP, BLOCK, REPEATS = 10, 1_000_000, 1_000_000, 3
OURS = """
import warnings
import swapmeet as sm
from swapmeet.running.masking import mask_file
warnings.simplefilter("ignore", sm.SwapmeetWarning)

def work(source, target):
    mask_file(source, target, sm.SJPPDS(bins=100), block_rows={block}, memory="2GB")
"""
PEER = """
import numpy as np, pyarrow as pa, pyarrow.parquet as pq

def work(source, target):
    table, rng = pq.read_table(source), np.random.default_rng(1)
    moved = [c.combine_chunks().take(pa.array(rng.permutation(len(table)))) for c in table.columns]
    pq.write_table(pa.table(moved, schema=table.schema), target)
"""
RUN = """
import resource, time
work({small!r}, {target!r} + ".warm.parquet")
wall, cpu = time.perf_counter(), time.process_time()
work({source!r}, {target!r} + ".parquet")
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or SIZES
    with tempfile.TemporaryDirectory() as folder:
        small = written(Path(folder) / "small.parquet", 2_000)
        for rows in sizes:
            compare(Path(folder), small, rows)


def compare(folder: Path, small: str, rows: int) -> None:
    source = written(folder / f"{rows}.parquet", rows)
    runs = [(measured(OURS, folder, small, source), measured(PEER, folder, small, source))
            for _ in range(REPEATS)]  # fmt: skip
    ours, peer = (np.array(turn) for turn in zip(*runs, strict=True))
    what = f"SJPPDS {rows:,} x {COLUMNS}, file to file"
    Figure(f"{what}, wall clock", median(ours[:, 0]), median(peer[:, 0]), 2.0).show()
    Figure(f"{what}, CPU", median(ours[:, 1]), median(peer[:, 1]), 2.0).show()
    Figure(f"{what}, peak (against 1 GB)", max(ours[:, 2]), 1e9 / 2**30, 1.0, "GiB").show()


def written(path: Path, rows: int) -> str:
    rng = np.random.default_rng(1)
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(COLUMNS)])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, GROUP):
            size = min(GROUP, rows - begin)
            values = {name: rng.normal(size=size) for name in schema.names}
            writer.write_table(pa.table(values, schema=schema))
    return str(path)


def measured(work: str, folder: Path, small: str, source: str) -> tuple[float, float, float]:
    target = folder / "release"
    code = work.format(block=BLOCK) + RUN.format(small=small, source=source, target=str(target))
    wall, cpu, memory = map(float, in_fresh_process(code).split())
    for path in folder.glob("release*"):
        path.unlink()
    return wall, cpu, memory


if __name__ == "__main__":
    main()
