"""In how many rows of original and release a rule, or a derivation, does not hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class TieCheck:
    """A rule or derivation as it was written, and the rows that break it; 0 is wanted.

    `column` is the one that is derived; a rule has none.

    >>> TieCheck("a <= b", 0, 12, 1000).sentence
    'a <= b: broken in 12 of 1,000 released rows, and in none of the original.'
    >>> TieCheck("a <= b", 12, 12, 1000).sentence
    'a <= b: holds in 988 of 1,000 released rows, as in the original.'
    """

    text: str
    original: int
    released: int
    rows: int
    column: str | None = None

    @property
    def sentence(self) -> str:
        """For people."""
        after = f"{self.released:,} of {self.rows:,} released rows" if self.released else "no row"
        before = f"{self.original:,} rows" if self.original else "none"
        if self.released == self.original:
            held = f"{self.rows - self.released:,} of" if self.released else "all"
            return f"{self.text}: holds in {held} {self.rows:,} released rows, as in the original."
        return f"{self.text}: broken in {after}, and in {before} of the original."

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)
