"""Whether an original and its release can be compared row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.errors import TableError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence


def require_as_many(before: int, after: int) -> None:
    """Refuse an original and a release of different length."""
    if before != after:
        raise TableError(
            f"the original has {before} rows and the release {after}. "
            "Compare a release with all of the table it was made of."
        )


def require_in_both(name: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Refuse to match rows by a column that one of the tables lacks."""
    for names, which in ((before, "original"), (after, "release")):
        if name not in names:
            raise UsageError(
                f"match: the {which} has no column {name!r}{did_you_mean(name, names)}"
            )


def not_identifying(name: str) -> TableError:
    """What to say of a column that does not match each row with one other."""
    return TableError(
        f"match: {name!r} does not tell the rows apart, or does not have the same values in "
        "both tables. Give a column that identifies every row."
    )
