"""Tables of people for benchmarks: those of the study beyond the papers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "studies"))

from typing import TYPE_CHECKING

from parts.beyond import tables

if TYPE_CHECKING:
    from parts.beyond.tables import Survey

ROWS = 4_000
"""Of larger tables so many random rows are taken; fair is whole."""


def load_survey(name: str) -> Survey:
    """A table by its name."""
    return tables.load_survey(name, rows=None if name == "fair" else ROWS)
