"""Attacks that broke down: what they would have found is not known."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from swapmeet.base.sentences import join_names
from swapmeet.comparison.score import Undefined
from swapmeet.errors import SwapmeetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Found = TypeVar("Found")


@dataclass(frozen=True)
class Gaps:
    """The reasons why some attacks broke down, each once.

    An attack that cannot be made, because the intruder knows too little or there is nothing to look
    for, is no gap: it is left out before it is tried. Whatever fails on the way is one, and leaves
    a verdict open that would be safe without it.
    """

    reasons: list[str] = field(default_factory=list)

    @contextmanager
    def catch(self, attack: str) -> Iterator[None]:
        """Go on without an attack that breaks down, and remember why.

        Messages of ours name columns and counts, never a value.
        """
        try:
            yield
        except (SwapmeetError, Undefined) as error:
            first = next(iter(str(error).splitlines()), "").rstrip(".")
            self.add(f"{attack} ({first or type(error).__name__})")

    def iterate(self, attack: str, findings: Iterable[Found]) -> Iterator[Found]:
        """Findings of an attack, as far as it comes."""
        with self.catch(attack):
            yield from findings

    def add(self, *reasons: str) -> None:
        """Remember why others broke down."""
        self.reasons.extend(one for one in reasons if one not in self.reasons)

    @property
    def words(self) -> str:
        """Say what is not known, as a clause; empty where nothing broke down."""
        if not self.reasons:
            return ""
        broke = "this attack" if len(self.reasons) == 1 else "these attacks"
        return (
            f"a part of the risk is not known, because {broke} could not be carried out: "
            f"{join_names(self.reasons)}"
        )
