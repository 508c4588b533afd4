"""Column names that can be told apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from swapmeet.errors import FileError, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def name_blanks(path: Path, names: Sequence[str]) -> list[str]:
    """The names of columns; one that has none is called by its place, with a note."""
    places = [str(place) for place, name in enumerate(names, 1) if not name.strip()]
    if places:
        warn(
            f"{path}: column {', '.join(places)} has no name in the file, and is called by its "
            f"place: column_{places[0]}."
        )
    return [name if name.strip() else f"column_{place}" for place, name in enumerate(names, 1)]


def check_names(path: Path, names: Iterable[str]) -> None:
    """Refuse a file in which two columns have the same name."""
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(
            f"{path}: column names must differ; {', '.join(twice)} appears more than once. "
            "Rename the columns."
        )
