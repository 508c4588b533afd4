"""What does it cost to assess files piece by piece, against holding both tables in memory?

A mixed table of ten columns with missing values, masked by SJPPDS and RWN. Each run is a process of
its own; figures are CPU seconds and the peak. With 10,000,000 rows, in files only:
`python assess_scale.py 10000000 --files`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from measure import Figure, in_fresh_process

ROWS, MEMORY = 1_000_000, "2GB"
PEOPLE = """
import json, resource, time, warnings
import numpy as np, pyarrow as pa, pyarrow.parquet as pq, swapmeet as sm
warnings.simplefilter("ignore", sm.SwapmeetWarning)
kinds = {{"x0": "numeric", "x1": "numeric", "x2": "numeric", "x3": "numeric", "x4": "numeric",
         "age": "numeric", "weeks": "ordinal", "sex": "nominal", "region": "nominal",
         "work": "nominal"}}
schema = sm.Schema(tuple(sm.Column(*pair) for pair in kinds.items()))
"""
MAKE = """
rng, rows = np.random.default_rng(1), {rows}
mix = rng.normal(size=(5, 5))
with pq.ParquetWriter({folder!r} + "/people.parquet", pa.schema(
    [(name, pa.string() if kind == "nominal" else pa.float64()) for name, kind in kinds.items()]
)) as writer:
    for begin in range(0, rows, 500_000):
        n = min(500_000, rows - begin)
        x = rng.normal(size=(n, 5)) @ mix
        x[rng.random(n) < 0.05, 4] = np.nan
        table = dict(zip(kinds, x.T))
        table["age"] = np.clip(np.round(45 + 15 * x[:, 0] / 3), 18, 95)
        table["weeks"] = rng.integers(0, 53, n).astype(float)
        table["sex"] = np.where(rng.random(n) < 0.5, "f", "m")
        table["region"] = np.array([f"r{{i:02}}" for i in range(40)])[rng.integers(0, 40, n)]
        table["work"] = np.array([f"w{{i:03}}" for i in range(300)])[rng.geometric(0.05, n) % 300]
        writer.write_table(pa.table({{k: pa.array(v, from_pandas=True) for k, v in table.items()}}))
sm.mask_file({folder!r} + "/people.parquet", {folder!r} + "/release.parquet",
             sm.RWN(k=10, weights=0.3), schema=schema, block_rows=100_000, memory="4GB",
             audit={folder!r} + "/run.audit")
"""
FILES = """
card = sm.assess_file({folder!r} + "/people.parquet", {folder!r} + "/release.parquet",
                      audit={folder!r} + "/run.audit", schema=schema, memory={memory!r})
"""
TABLES = """
people, release = (pq.read_table({folder!r} + name) for name in ("/people.parquet",
                                                                 "/release.parquet"))
card = sm.assess(people, release, audit=sm.AuditRecord.load({folder!r} + "/run.audit"),
                 schema=schema)
"""
TOLD = """
print(json.dumps([time.process_time(), time.perf_counter() - start,
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
                  {{s.measure: None if s.undefined else s.value for s in card}}]))
"""


def main() -> None:
    rows = next((int(text) for text in sys.argv[1:] if text.isdigit()), ROWS)
    with tempfile.TemporaryDirectory() as folder:
        run(MAKE, rows, folder)
        files = json.loads(run("start = time.perf_counter()\n" + FILES + TOLD, rows, folder))
        size = sum(path.stat().st_size for path in Path(folder).glob("*.parquet")) / 2**30
        print(f"{rows:,} x 10 mixed, {size:.2f} GiB of Parquet; memory allowed: {MEMORY}")
        print(f"files: {files[0]:.0f} CPU s, {files[1]:.0f} s, peak {files[2]:.2f} GiB")
        if "--files" not in sys.argv:
            tables = json.loads(run("start = time.perf_counter()\n" + TABLES + TOLD, rows, folder))
            print(f"memory: {tables[0]:.0f} CPU s, {tables[1]:.0f} s, peak {tables[2]:.2f} GiB")
            Figure("CPU of files / of tables in memory", files[0], tables[0], 2.0).show()
            Figure("peak of files / of tables in memory", files[2], tables[2], 0.7, "GiB").show()
            tell_differences(files[3], tables[3])


def tell_differences(files: dict[str, float | None], tables: dict[str, float | None]) -> None:
    """The scores side by side: those of a sample differ a little, all others hardly."""
    for name, value in files.items():
        print(f"{name:<20} {value!s:>24} {tables[name]!s:>24}")


def run(code: str, rows: int, folder: str) -> str:
    whole = PEOPLE + code
    return in_fresh_process(whole.format(rows=rows, folder=folder, memory=MEMORY))


if __name__ == "__main__":
    main()
