"""Evidence that an intruder who knows everybody has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.comparison.codes import code_both

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from swapmeet.comparison.codes import SharedCodes
    from swapmeet.tables.microdata import Microdata

ATTACK = Seed(bytes(32)).within("attack")
"""Seed of an intruder's draws, no secret: the same tables are attacked in the same way."""
UNSURE = 0.05
"""The doubt of an intruder who does not know all columns that decide who trades with whom."""


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """Some columns of everybody, and the same columns of the release, rows in any order.

    `complete` tells whether these are all columns that the method looked at, `everybody` whether
    these are the people themselves; if not, released rows stand in for most of them. `known_codes`
    gives codes of a column that were made before.
    """

    people: Microdata
    released: Microdata
    complete: bool = True
    workers: Workers = field(default_factory=lambda: Workers(1))
    known_codes: Callable[[str], SharedCodes] | None = None
    everybody: bool = True

    def __repr__(self) -> str:
        return f"<Evidence of {', '.join(self.people.names)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.people.names

    def code(self, name: str, *others: str) -> SharedCodes:
        """The values of a column, or of several as one, as codes that people and rows share."""
        if self.known_codes is not None and not others:
            return self.known_codes(name)
        names = (name, *others)
        return code_both(
            [self.people[name].values for name in names],
            [self.released[name].values for name in names],
        )

    def select(self, names: Iterable[str]) -> Evidence:
        """Select the columns that are there; complete if all are, and were before."""
        wanted = tuple(names)
        known = [name for name in self.names if name in wanted]
        return replace(
            self,
            people=self.people.select(known), released=self.released.select(known),
            complete=self.complete and len(known) == len(wanted),
        )  # fmt: skip
