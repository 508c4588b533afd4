"""An intruder: what they know, of whom, how they look for people, and how many they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.measures.intervals import of_share
from swapmeet.measures.intruders import Knowledge, list_names
from swapmeet.measures.score import CONFIDENCE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Intruder:
    """Somebody who tried to find people; `hits` has how often each of these was found.

    Where households were looked for, or people with several rows, these are their rows, `units`
    is how many there were, and `of_units` says what was known of them.
    """

    knows: tuple[str, ...]
    level: Knowledge
    knows_method: bool
    way: str
    hits: Floats
    units: int = 0
    of_units: str = ""

    def __repr__(self) -> str:
        return f"<Intruder: {self.words}>"

    @property
    def share(self) -> float:
        """The share of people they find."""
        return float(self.hits.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share lies for people like these."""
        drawn = self.units or len(self.hits)
        return of_share(self.share * drawn, drawn, CONFIDENCE)

    @property
    def words(self) -> str:
        """Who they are, to be followed by what they do."""
        whom = "the person sought" if self.level is Knowledge.TARGET else "everybody"
        if self.units:
            whom = self.of_units
        method = ", and how the table was masked," if self.knows_method else ""
        return f"an intruder who knows {list_names(self.knows)} of {whom}{method}"

    def to_dict(self) -> dict[str, Any]:
        """For machines, and for those who want to see the whole family."""
        return {
            "who": self.words.rstrip(","),
            "way": self.way,
            "level": str(self.level),
            "knows": list(self.knows),
            "knows how it was masked": self.knows_method,
            "share": self.share,
            "interval": list(self.interval),
            "people": len(self.hits),
        }
