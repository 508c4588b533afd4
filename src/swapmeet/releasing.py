"""From the outcome of a method to released cells, how much changed, and what must be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.donors import MADE, SUPPRESSED, DonorMap
from swapmeet.frame import Table
from swapmeet.outcome import Outcome, named
from swapmeet.release import ColumnChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from swapmeet.methods import Method
    from swapmeet.microdata import Microdata, Variable

UNCHANGED = 0.01
"""A column is called effectively unchanged when fewer of its values differ."""
EXPECTED = 0.1
"""... although at least this share of its values was moved or made."""


def is_owned(method: Method, in_place: npt.NDArray[np.bool_]) -> bool:
    """Whether released rows are about somebody: by the method, or by a column it left in place."""
    return method.keeps_owners or bool(in_place.any())


def released_by(
    outcome: Outcome,
    table: Table,
    data: Microdata,
    published: tuple[str, ...],
    grains: Mapping[str, int] | None = None,
) -> Table:
    """The values that moved, then those that were made; `grains` are those of the whole table."""
    donors = dict(zip(data.names, outcome.donors.matrix.T, strict=True))
    moved = {name: _own_if_made(column) if name in outcome.made else column
             for name, column in donors.items()}  # fmt: skip
    if data.own < data.n:
        moved = dict.fromkeys(published, np.arange(data.own)) | moved
    taken = Table(table.take(moved, published))
    if not outcome.made:
        return taken
    cells = {name: donors[name] == MADE for name in outcome.made}
    return Table(taken.put(outcome.made, cells, grains))


def _own_if_made(donors: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.where(donors == MADE, np.arange(len(donors)), donors)


def changes_of(data: Microdata, donors: DonorMap, released: Table) -> tuple[ColumnChange, ...]:
    """How much of each masked column moved and changed; row i of `released` is that of row i."""
    own = np.arange(data.own)
    return tuple(
        _change(variable, given, own, released)
        for variable, given in zip(data.variables, donors.matrix.T, strict=True)
    )


def _change(
    variable: Variable,
    donors: npt.NDArray[np.int64],
    own: npt.NDArray[np.int64],
    released: Table,
) -> ColumnChange:
    made = donors == MADE
    values = released.numbers(variable.name) if made.any() else None
    return ColumnChange(
        name=variable.name,
        moved=float(((donors != own) & (donors >= 0)).mean()),
        changed=float(variable.differs(donors, values).mean()),
        suppressed=float((donors == SUPPRESSED).mean()),
        made=float(made.mean()),
    )


def notes_of(
    method: Method,
    changes: tuple[ColumnChange, ...],
    rounded: list[str],
    stuck: Mapping[str, int],
    rows: int,
) -> Iterator[str]:
    """What a curator must know: columns unchanged or `rounded`, and how many values are `stuck`."""
    still = [c.name for c in changes if c.changed < UNCHANGED and c.moved + c.made >= EXPECTED]
    if still:
        yield (
            f"{named(still)}: effectively unchanged (fewer than {UNCHANGED:.0%} of the values "
            f"differ), because {_why(method)}. {method.remedy}"
        ).rstrip()
    if rounded:
        yield f"{named(rounded)}: the values made were rounded to whole numbers."
    if any(stuck.values()):
        counts = ", ".join(f"{name} {count}" for name, count in stuck.items() if count)
        yield (
            f"values that had none to trade with and stay with their row (of {rows}): "
            f"{counts}. The audit record lists them."
        )


def _why(method: Method) -> str:
    if method.makes_values:
        return "what was made is mostly the row's own value"
    return "those who trade mostly have the same value"


def rounded_among(table: Table, outcome: Outcome) -> list[str]:
    """The columns whose made values lose their fractions."""
    return [name for name in outcome.made if _is_rounded(table, name, outcome.made[name])]


def _is_rounded(table: Table, name: str, made: npt.NDArray[np.float64]) -> bool:
    return table.holds_whole_numbers_only(name) and not np.array_equal(
        made, np.rint(made), equal_nan=True
    )


def over_all_columns(
    found: DonorMap, masked: tuple[str, ...], published: tuple[str, ...]
) -> DonorMap:
    """The donor map of the release: columns that were not masked stay with their row."""
    if masked == published:
        return found
    whole = DonorMap.identity(len(found.matrix), len(published)).matrix
    whole[:, [published.index(name) for name in masked]] = found.matrix
    return DonorMap(whole)
