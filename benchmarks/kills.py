"""Kill a run with `kill -9`, again and again, and see what stands there afterwards.

    python benchmarks/kills.py [--placed 200] [--random 200]

A table is masked with --overwrite and --audit, the audit record in another folder than the release.
Placed kills hit the run at one of its calls to the file system while its files get their names,
each call in turn; the others hit it at a random moment. Each run has another `k`, which run file
and audit record tell. Afterwards they are read as `assess` does it: all three must be of one run,
the one before or the one that was killed, and no file may be left over.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np

from swapmeet.base import atomic
from swapmeet.cli import main as run_command_line

CALLS = ("open", "mkdir", "link", "rename", "replace", "fsync", "unlink", "rmdir")
WHOLE, DIFFERENT, DAMAGED = 0, 7, 8
ROWS = 400


class Place:
    """Where a table lies, and its release, run file and audit record."""

    def __init__(self, folder: Path) -> None:
        self.table = folder / "people.csv"
        self.release = folder / "out" / "release.csv"
        self.run_file = folder / "out" / "release.csv.run.toml"
        self.audit = folder / "secret" / "release.audit"
        for target in (self.release, self.audit):
            target.parent.mkdir()
        stream = np.random.default_rng(1)
        rows = np.column_stack([stream.integers(18, 90, ROWS), stream.integers(0, 9, (ROWS, 3))])
        np.savetxt(self.table, rows, "%d", ",", header="age,sex,region,work", comments="")

    def mask(self, k: int) -> None:
        """Mask the table over whatever is there."""
        ask = ("--method", "rwn", "--audit", self.audit, "--overwrite", "--quiet", "--k", k)
        sys.argv = ["swapmeet", "mask", *map(str, (self.table, self.release, *ask))]
        run_command_line()

    def mask_in_child(self, k: int = 3) -> int:
        """Mask the table in a process of its own; the `k` that it was done with."""
        assert fork(partial(self.mask, k)) == 0
        return k

    def check(self, before: int, after: int) -> int:
        """Whether what is there is of one run."""
        from swapmeet import io
        from swapmeet.engines.local.pair import TableRows
        from swapmeet.release.audit import AuditRecord
        from swapmeet.release.record_check import check_record
        from swapmeet.tables.frame import Table

        try:
            released = io.read(self.release).frame
            audit = AuditRecord.load(self.audit)
            told = tomllib.loads(self.run_file.read_text(encoding="utf-8"))["method"]["k"]
            if (
                audit.method.settings["k"] != told
                or told not in {before, after}
                or _count_left(self)
            ):
                return DIFFERENT
            check_record(audit, TableRows(Table.of(released)))
        except Exception as error:  # noqa: BLE001
            print(type(error).__name__, error, file=sys.stderr)
            return DAMAGED
        return WHOLE if told == before else WHOLE + 1


def _count_left(place: Place) -> int:
    folders = {place.release.parent, place.audit.parent}
    return sum(len(list(folder.iterdir())) for folder in folders) - 3


def learn_modules(place: Place) -> None:
    """Import what a run imports, so that each child need not; here no thread is started by it."""
    told = place.table.with_name("modules")

    def run() -> None:
        try:
            place.mask(3)
        finally:
            told.write_text("\n".join(sys.modules), encoding="utf-8")

    assert fork(run) == 0
    for name in told.read_text(encoding="utf-8").splitlines():
        with suppress(ImportError):
            importlib.import_module(name)


def fork(work, *, kill_after: float | None = None) -> int:
    """The exit code of `work` in a child process, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            code = work()
        except SystemExit as ended:
            code = ended.code
        os._exit(int(code or 0))
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_in_commit(place: Place, k: int, number: int) -> None:
    """Mask, and die before the call `number` of those that give the files their names."""
    real = atomic.Transaction.commit

    def commit(self) -> None:
        _count_calls(number)
        real(self)

    atomic.Transaction.commit = commit
    place.mask(k)


def _count_calls(number: int) -> None:
    made = 0

    def counted(real):
        def call(*args, **options):
            nonlocal made
            made += 1
            if made == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **options)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


def kill_often(place: Place, count: int, kill) -> Counter[str]:
    """Kill so many runs, by `kill(k, number)`; what came of it."""
    seen: Counter[str] = Counter()
    now, number = place.mask_in_child(), 0
    for _ in range(count):
        number, after = number + 1, 3 + (now - 2) % 5
        code = kill(after, number)
        number = 0 if code == 0 else number
        found = fork(partial(place.check, now, after))
        seen["killed" if code < 0 else "ended before the kill"] += 1
        seen[{WHOLE: "old three", WHOLE + 1: "new three"}.get(found, "LOST OR MIXED")] += 1
        now = after if found == WHOLE + 1 else now
    return seen


def main() -> None:
    """Kill, look, and tell how it went."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--placed", type=int, default=200)
    parser.add_argument("--random", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, stream = Place(Path(folder)), random.Random(1)
        learn_modules(place)
        begin = time.monotonic()
        place.mask_in_child()
        takes = time.monotonic() - begin

        def kill_placed(k: int, number: int) -> int:
            return fork(partial(kill_in_commit, place, k, number))

        def kill_at_random(k: int, _: int) -> int:
            return fork(partial(place.mask, k), kill_after=stream.uniform(0, 1.1 * takes))

        for name, count, kill in (
            ("while files get their names", asked.placed, kill_placed),
            ("at random", asked.random, kill_at_random),
        ):
            seen = kill_often(place, count, kill)
            print(f"{name}: " + ", ".join(f"{what} {n}" for what, n in seen.items()), flush=True)


if __name__ == "__main__":
    main()
