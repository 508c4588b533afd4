"""What does a verdict cost, in memory and from files, against its bounds, and linkage against dbrl?

A mixed table of ten columns, masked by RWN with k = 10. Each run is a process of its own; figures
are CPU seconds and the peak. Bounds: 20,000 rows within a minute and 10⁶ rows within three minutes
and 3 GB, on two cores. `python verdict_time.py 1000000`; masking these takes minutes, too.
"""

from __future__ import annotations

import json
import sys
import tempfile

from measure import Figure, in_fresh_process

ROWS, CORES = 20_000, 2
SECONDS = {20_000: 60.0, 1_000_000: 180.0}
MOST = 3e9 / 2**30
VERDICT = ["linkage", "copies", "inference", "membership"]
PEOPLE = """
import json, resource, time, warnings
import numpy as np, pandas as pd, swapmeet as sm
warnings.simplefilter("ignore", sm.SwapmeetWarning)
folder, verdict = {folder!r}, {verdict!r}
"""
MAKE = """
rng, n = np.random.default_rng(0), {rows}
z = rng.normal(size=n)
people = pd.DataFrame({{
    "age": np.clip(40 + 15 * rng.normal(size=n), 18, 90).round(),
    "income": np.exp(10 + 0.5 * z + 0.3 * rng.normal(size=n)).round(),
    "hours": np.clip(38 + 8 * rng.normal(size=n), 0, 80).round(),
    "sex": rng.choice(["f", "m"], n),
    "region": rng.choice([f"r{{i}}" for i in range(20)], n),
    "education": np.array([f"e{{i}}" for i in range(10)])[
        np.clip(2 * z + 2 * rng.normal(size=n) + 5, 0, 9).astype(int)],
    "wealth": np.exp(9 + z + rng.normal(size=n)).round(),
    "children": rng.poisson(1.2, n),
    "job": rng.choice([f"j{{i}}" for i in range(40)], n),
    "weight": 60 + 20 * rng.random(n),
}})
people.to_parquet(folder + "/people.parquet", index=False)
start = time.process_time()
release = sm.mask(people, sm.RWN(k=10, weights=0.1), seed=1)
print(time.process_time() - start)
release.data.to_parquet(folder + "/release.parquet", index=False)
release.audit.save(folder + "/run.audit")
"""
FILES = """
assess = lambda names: sm.assess_file(
    folder + "/people.parquet", folder + "/release.parquet", audit=folder + "/run.audit",
    measures=names, memory="3GB")
"""
TABLES = """
people, release = (pd.read_parquet(folder + name) for name in ("/people.parquet",
                                                               "/release.parquet"))
assess = lambda names: sm.assess(people, release, audit=folder + "/run.audit", measures=names)
"""
TELL = """
begin, start, parts = time.perf_counter(), time.process_time(), {{}}
card = assess(verdict)
cpu, wall = time.process_time() - start, time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
for name in [*verdict, "dbrl"] if {parts} else []:
    start = time.process_time()
    assess([name])
    parts[name] = time.process_time() - start
print(json.dumps([cpu, wall, peak, parts, {{s.measure: s.value for s in card}}]))
"""


def main() -> None:
    rows = next((int(text) for text in sys.argv[1:] if text.isdigit()), ROWS)
    bound = CORES * SECONDS.get(rows, 180.0)
    with tempfile.TemporaryDirectory() as folder:
        masked = float(run(MAKE, rows, folder))
        print(f"{rows:,} x 10 mixed, RWN(k=10): masked in {masked:.1f} CPU s", flush=True)
        for where, how in (("in memory", TABLES), ("from files", FILES)):
            cpu, wall, peak, parts, found = json.loads(run(how + TELL, rows, folder))
            Figure(f"CPU of the verdict {where} / allowed", cpu, bound, 1.0).show()
            Figure(f"peak of the verdict {where} / allowed", peak, MOST, 1.0, "GiB").show()
            print(f"  {wall:.1f} s by the clock; values: {found}; alone: {parts}", flush=True)


def run(code: str, rows: int, folder: str) -> str:
    whole = PEOPLE + code
    parts = rows <= ROWS
    return in_fresh_process(whole.format(rows=rows, folder=folder, verdict=VERDICT, parts=parts))


if __name__ == "__main__":
    main()
