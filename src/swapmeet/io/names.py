"""Column names that can be told apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from swapmeet.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def check_names(path: Path, names: Iterable[str]) -> None:
    """Refuse a file in which two columns have the same name."""
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"{path}: column names must differ; {', '.join(twice)} appears more than once. "
            "Rename the columns."
        )
