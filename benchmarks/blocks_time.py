"""What do blocks cost and save: SJPPDS and RWN on a million rows, whole and in blocks of 100,000?

Each run is a process of its own, so that its peak memory is its own; what the process holds before
it masks, the table above all, is taken off.
"""

from __future__ import annotations

import sys

from measure import Figure, in_fresh_process

ROWS, COLUMNS, BLOCK = 1_000_000, 6, 100_000
METHODS = {"SJPPDS(bins=100)": 1.5, "RWN(k=10)": 1.0}
"""The bound on the time in blocks, as a multiple of the time of the whole."""
RUN = """
import ctypes, gc, resource, sys, time, warnings
sys.path.insert(0, {folder!r})
import swapmeet as sm
from people import normal
warnings.simplefilter("ignore", sm.SwapmeetWarning)
sm.mask(normal(2000, {columns}, 1), sm.{method}, engine=sm.Local(block_rows=1000))
table = normal({rows}, {columns})
schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in table))
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
wall, cpu = time.perf_counter(), time.process_time()
sm.mask(table, sm.{method}, schema=schema, seed=1, engine=sm.Local(block_rows={block}))
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) * 1024
print(wall, cpu, (peak - before) / 2**20)
"""


def main() -> None:
    for method, bound in METHODS.items():
        whole, blocks = (measured(method, block) for block in (None, BLOCK))
        what = f"{method} {ROWS:,} x {COLUMNS} in blocks / whole"
        Figure(f"{what}, wall clock", blocks[0], whole[0], bound).show()
        Figure(f"{what}, CPU", blocks[1], whole[1], bound).show()
        Figure(f"{what}, memory", blocks[2], whole[2], 1.1, "MiB").show()


def measured(method: str, block: int | None) -> tuple[float, float, float]:
    code = RUN.format(
        folder=sys.path[0], method=method, block=block, rows=ROWS, columns=COLUMNS
    )  # fmt: skip
    wall, cpu, memory = map(float, in_fresh_process(code).split())
    return wall, cpu, memory


if __name__ == "__main__":
    main()
