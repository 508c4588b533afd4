"""Records of unique people that are in a release, counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import agree
from swapmeet.measures.intruders import list_names
from swapmeet.measures.risk.combinations import frequencies

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats
    from swapmeet.measures.comparison import Comparison, EquivalenceClasses


@dataclass(frozen=True, repr=False, eq=False)
class CopiedRecords:
    """Of `n` people, how many are unique and published, and how many rows are their records.

    `paired` people share their record with exactly one other.
    """

    n: int
    unique: int
    paired: int
    people: int
    rows: int
    records: Floats | None

    @classmethod
    def among(cls, comparison: Comparison, names: tuple[str, ...]) -> CopiedRecords:
        """Records that consist of these columns."""
        return comparison.gather_classes(partial(cls.of, comparison.in_memory), names)

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> CopiedRecords:  # noqa: FBT001
        alike = frequencies(crowd.original, crowd.original)
        unique = alike == 1
        published = unique & (frequencies(crowd.original, crowd.released) > 0)
        rows = frequencies(crowd.original[unique], crowd.released)
        return cls(
            len(unique), int(unique.sum()), int((alike == 2).sum()), int(published.sum()),
            int(rows.sum()), published.astype(float) if keep else None,
        )  # fmt: skip

    def __add__(self, other: CopiedRecords) -> CopiedRecords:
        return CopiedRecords(
            self.n + other.n, self.unique + other.unique, self.paired + other.paired,
            self.people + other.people, self.rows + other.rows, None,
        )  # fmt: skip

    @property
    def strangers(self) -> float:
        """Share of people outside the file who have the record of a unique person inside.

        Each of two people who share a record would, were they left out (Good, 1953).
        """
        return self.paired / self.n

    def describe(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "unique people": self.unique,
            "people whose record is released": self.people,
            "released rows that are such a record": self.rows,
        }

    def find(self) -> str:
        """Say what was found, as a clause."""
        if self.rows > self.people:
            return (
                f"{self.rows:,} of {self.n:,} released rows {agree(self.rows, 'is', 'are')} the "
                "whole record of a person who is unique"
            )
        return self._say_whose()

    def _say_whose(self) -> str:
        records, verb = (
            agree(self.people, *words) for words in (("record", "records"), ("is", "are"))
        )
        return f"the whole {records} of {self.people:,} of {self.n:,} people {verb} in the release"

    def tell(self, masked: tuple[str, ...]) -> str:
        """The sentence."""
        if not self.unique:
            return f"Nobody's record is unique in {list_names(masked)}, so none is a copy."
        return (
            f"T{self._say_whose()[1:]} ({self.unique:,} {agree(self.unique, 'is', 'are')} "
            f"unique in {list_names(masked)}); {self.rows:,} of its rows "
            f"{agree(self.rows, 'is', 'are')} such a record."
        )
