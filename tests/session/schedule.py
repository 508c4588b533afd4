"""Which worker of xdist runs which tests, so that no two compile the same loops."""

from __future__ import annotations

from pathlib import PurePath

from xdist.scheduler import LoadScopeScheduling

SHARED = ("spark", "postgresql", "browser")
"""Tests of files with such a word in their path share a worker, so that one only starts these."""
COMPILING = (
    "tests/methods", "tests/testing", "tests", "tests/reporting", "tests/comparison",
    "tests/protecting", "tests/measures", "tests/engines", "tests/intruders", "tests/algorithms",
    "tests/cli", "src/swapmeet", "tests/tables", "tests/base/test_secret.py",
    "tests/inspecting/test_neighborhoods.py", "tests/tuning/test_trial_runner.py",
    "tests/app/test_commands.py", "tests/io", "tests/release", "tests/tuning", "tests/app",
)  # fmt: skip
"""Folders and files whose tests call loops, those that call most first."""


def name_unit(nodeid):
    """Name what a worker gets at once: the tests of a file, or all that share a server.

    `xdist_group` would do the same, but xdist 3.8 does not heed it with pytest 9.
    """
    path = nodeid.split("::")[0]
    return next((word for word in SHARED if word in path), path)


def rank(unit):
    """Spark is first, then what compiles; browsers are last."""
    if unit in SHARED:
        return -1 if unit == SHARED[0] else len(COMPILING) + SHARED.index(unit)
    names = unit, "/".join(PurePath(unit).parts[:-1][:2])
    return next((COMPILING.index(name) for name in names if name in COMPILING), len(COMPILING))


class FromBothEnds(LoadScopeScheduling):
    """One worker takes what compiles most, the others begin at the other end.

    When they meet, nearly everything is compiled. Of one folder, both take the longest files
    first. With `--reverse`, files are taken as they come.
    """

    def _split_scope(self, nodeid):
        return name_unit(nodeid)

    def _assign_work_unit(self, node):
        if self.config.option.loadscopereorder:
            side = -1 if node is self.nodes[0] else 1
            units = self.workqueue
            chosen = max(units, key=lambda unit: (side * rank(unit), len(units[unit])))
            units.move_to_end(chosen, last=False)
        super()._assign_work_unit(node)
