"""How much memory does RWN need above its input, at any radius?"""

from __future__ import annotations

from pathlib import Path

from measure import Figure, in_fresh_process

MIB = 2**20
CODE = """
import ctypes, gc, resource, sys, warnings
sys.path.insert(0, {folder!r})
import people, swapmeet as sm
warnings.simplefilter("ignore")
sm.mask(people.{small}, sm.RWN(k=10, eps={eps}))
table = people.{table}
matrix_bytes = {width} * len(table) * 8
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
release = sm.mask(table, sm.RWN(k=10, eps={eps}))
peak = next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) * 1024
print(peak - before, matrix_bytes)
"""


def main() -> None:
    for eps in (0.0, 0.3, 3.0):
        show("svcensus(500_000)", "svcensus(2000)", eps, width=14)
    show("normal(5_000_000, 3)", "normal(2000, 3)", 0.0, width=3)
    show("normal(50_000, 12)", "normal(2000, 12)", 0.0, width=12)
    show("normal(50_000, 12)", "normal(2000, 12)", 1.0, width=12)


def show(table: str, small: str, eps: float, *, width: int) -> None:
    """Peak above the input, against 3 encoded matrices and 300 MiB."""
    folder = str(Path(__file__).parent)
    code = CODE.format(table=table, small=small, eps=eps, width=width, folder=folder)
    used, matrix = map(int, in_fresh_process(code).split())
    Figure(
        f"peak above the input, {table}, eps={eps}",
        used / MIB,
        (3 * matrix) / MIB + 300,
        1.0,
        "MiB",
    ).show()


if __name__ == "__main__":
    main()
