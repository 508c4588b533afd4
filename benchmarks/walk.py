"""How far is it from a call to its result? Modules of ours passed, changes of module, depth.

Everything is loaded and compiled before; then a profiler follows every call of a function of ours,
in all threads. A change of module is a call whose function lives in another module than that of the
call before it in its thread. Depth counts functions of ours that wait for each other. Below stand
lines and modules of each folder; `--tree` prints nothing else.
"""

from __future__ import annotations

import io
import sys
import tempfile
import threading
import warnings
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import swapmeet as sm
from swapmeet.cli import main as command_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

HOUSE = Path(sm.__file__).parent
ROWS = 1_000
ROLES: dict[str, Any] = {"sensitive": ["affairs"], "keep": ["children"]}
OPTIONS = ("--sensitive", "affairs", "--keep", "children")
FINE = (0, 4)
"""A limit that is not met ends a command, too."""
METHOD = ("--method", "matched-swap", "--k", "5", "--seed", "1")


@dataclass
class Walk:
    """The calls of one piece of work; each thread has its own path, which `_paths` holds."""

    calls: Counter[str] = field(default_factory=Counter)
    changes: int = 0
    depth: int = 0
    _paths: dict[int, tuple[str, int]] = field(default_factory=dict)

    def follow(self, frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "return") or not is_ours(frame.f_code.co_filename):
            return
        thread = threading.get_ident()
        last, depth = self._paths.get(thread, ("", 0))
        if event == "return":
            self._paths[thread] = last, depth - 1
            return
        here = frame.f_code.co_filename
        self.calls[here] += 1
        self.changes += here != last
        self.depth = max(self.depth, depth + 1)
        self._paths[thread] = here, depth + 1


def is_ours(name: str) -> bool:
    return name.startswith(f"{HOUSE}/")


def walk(work: Callable[[], object]) -> Walk:
    """The second time that the work is done."""
    work()
    found = Walk()
    threading.setprofile(found.follow)
    sys.setprofile(found.follow)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return found


def run_command(*words: str) -> None:
    """A command in this process, without what it prints."""
    kept, sys.argv = sys.argv, ["swapmeet", *words]
    heard = io.StringIO()
    try:
        with redirect_stdout(heard), redirect_stderr(heard):
            command_line()
    except SystemExit as ended:
        if ended.code not in FINE:
            raise SystemExit(heard.getvalue()) from None
    finally:
        sys.argv = kept


def list_works() -> dict[str, Callable[[], object]]:
    people = sm.datasets.load("fair").head(ROWS)
    people.to_csv("people.csv", index=False)
    method = sm.MatchedSwap(k=5)
    release = sm.mask(people, method, seed=1, **ROLES)
    return {
        "sm.mask": lambda: sm.mask(people, method, seed=1, **ROLES),
        "sm.mask, in blocks": lambda: sm.mask(
            people, method, seed=1, engine=sm.Local(block_rows=300), **ROLES
        ),
        "sm.mask, as inspected": lambda: sm.mask(people, method, seed=1, as_inspected=True),
        "sm.mask_file": lambda: sm.mask_file(
            "people.csv", "file.csv", method, seed=1, block_rows=300, overwrite=True, **ROLES
        ),
        "sm.assess": lambda: sm.assess(people, release),
        "sm.tune": lambda: sm.tune(
            people, ["rwn:k=5|20", "sjppds:bins=5"], seed=1, repeats=2, workers=1, **ROLES
        ),
        "swapmeet mask": lambda: run_command(
            "mask", "people.csv", "a.csv", *METHOD, *OPTIONS, "--overwrite"
        ),
        "swapmeet mask --memory": lambda: run_command(
            "mask", "people.csv", "b.csv", *METHOD, *OPTIONS, "--memory", "1GB", "--overwrite"
        ),
        "swapmeet assess": lambda: run_command("assess", "people.csv", "a.csv"),
        "swapmeet tune": lambda: run_command(
            "tune", "people.csv", "--methods", "sjppds:bins=5|10", "--repeats", "2", "--workers",
            "1", "--journal", "j.jsonl", "--fresh", *OPTIONS,
        ),
    }  # fmt: skip


def print_walks() -> None:
    print(f"{'from a table of 1,000 rows':<28} modules  changes    calls  depth")
    with tempfile.TemporaryDirectory() as folder, chdir(folder), suppress(BrokenPipeError):
        for name, work in list_works().items():
            found = walk(work)
            print(f"{name:<28} {len(found.calls):7} {found.changes:8,} {found.calls.total():8,} "
                  f"{found.depth:6}", flush=True)  # fmt: skip


def print_tree() -> None:
    """Lines and modules of each folder, with those below it; and of the house."""
    files = {path: path.read_text().count("\n") for path in HOUSE.rglob("*.py")}
    folders = sorted({folder for path in files for folder in path.parents
                      if folder.is_relative_to(HOUSE)})  # fmt: skip
    print(f"{'folder':<40} modules    lines  own modules  own lines")
    for folder in folders:
        below = [lines for path, lines in files.items() if folder in path.parents]
        own = [lines for path, lines in files.items() if folder == path.parent]
        name = str(folder.relative_to(HOUSE.parent))
        print(f"{name:<40} {len(below):7} {sum(below):8,} {len(own):12} {sum(own):10,}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--tree" not in sys.argv:
        print_walks()
        print()
    print_tree()
