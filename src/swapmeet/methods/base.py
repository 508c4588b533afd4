"""What every masking method is: parameters, and a rule that gives each cell a donor."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.errors import SchemaError
from swapmeet.params import Parameters
from swapmeet.schema import Kind

if TYPE_CHECKING:
    from swapmeet.blocks import Workers
    from swapmeet.microdata import Microdata
    from swapmeet.outcome import Outcome
    from swapmeet.seeds import Streams

ALL_KINDS = frozenset(Kind)
WITH_ORDER = frozenset({Kind.NUMERIC, Kind.ORDINAL})


@dataclass(frozen=True, kw_only=True)
class Method(Parameters):
    """A masking method; its fields are its parameters.

    `takes` are the kinds of columns it can mask. `makes_values` is true of the few methods that
    release values which nobody had. `remedy` tells how to let a column change more.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    takes: ClassVar[frozenset[Kind]] = ALL_KINDS
    makes_values: ClassVar[bool] = False
    remedy: ClassVar[str] = ""

    @property
    def is_random(self) -> bool:
        """Whether another seed gives another release."""
        return True

    @abstractmethod
    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        """A donor, or a made value, for each cell of `data`; `check` has found nothing wrong."""

    def refused(self, data: Microdata) -> tuple[str, ...]:
        """The columns of `data` that the method cannot mask."""
        return tuple(v.name for v in data.variables if v.kind not in self.takes)

    def check(self, data: Microdata) -> None:
        """Refuse, before any work, what the method cannot mask."""
        problems = [
            f"{self.name} cannot mask {name!r}, a {data[name].kind} column; it takes "
            f"{' and '.join(kind for kind in Kind if kind in self.takes)} ones. "
            f"{_able(data[name].kind)} can: combine them with per-column, or keep or drop {name!r}."
            for name in self.refused(data)
        ]
        if problems:
            raise SchemaError(problems)


def _able(kind: Kind) -> str:
    """The methods that take columns of this kind."""
    from swapmeet.methods import METHODS

    able = [m.name for m in METHODS.values() if kind in m.takes and m.name != "per-column"]
    return ", ".join(able)
