"""People whose record stands in the release, in whoever's place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.intervals import of_share
from swapmeet.measures.intruders import list_names
from swapmeet.measures.risk.column_sets import list_unchanged
from swapmeet.measures.risk.combinations import frequencies
from swapmeet.measures.risk.nearest_records import sample_rows
from swapmeet.measures.risk.record_agreement import count_agreement
from swapmeet.measures.risk.small_tables import warn_if_small
from swapmeet.measures.score import CONFIDENCE, Family, Undefined

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from swapmeet.measures.comparison import Comparison, EquivalenceClasses
    from swapmeet.measures.score import Score

HARDLY = 1e-4


@dataclass(frozen=True, kw_only=True)
class Copies(Measure):
    """The share of people whose whole record stands in the release, in whoever's place.

    A record is a person's values in all masked columns, and counts if nobody else in the original
    has the same; a missing value is a value. The value is the larger one of two shares: of people
    whose record is released, and of released rows that are such a record, because one record may
    be released many times. Details: people whose record is released but for one column (in whose
    other columns they are unique as well), the same for the keys alone, and what both shares would
    be if each released column were shuffled. An unchanged release of unique people scores 1.

    Limits are compared with what stands in the file beyond chance: it was counted, not estimated,
    and records that shuffled columns would bring back as well tell of nobody.
    """

    name: ClassVar[str] = "copies"
    family: ClassVar[Family] = Family.RISK
    question: ClassVar[str] = "How many people's records stand in the release?"
    coverage: ClassVar[Coverage] = Coverage.ALL
    remedy: ClassVar[str] = (
        "Whole records stand in the release: take larger groups, or let columns move apart."
    )

    def score(self, comparison: Comparison) -> Score:
        masked, keys = comparison.masked, comparison.keys
        if not masked:
            raise Undefined("no column was masked")
        whole = _Copied.among(comparison, masked)
        details: dict[str, Any] = whole.describe()
        near, chance = _look_at_people(comparison, masked)
        details |= near | chance
        details["columns as they were"] = len(list_unchanged(comparison, masked))
        if keys and set(keys) != set(masked):
            on_keys = _Copied.among(comparison, keys)
            details |= {f"{name}, keys only": count for name, count in on_keys.describe().items()}
        return self.make_score(
            max(whole.people, whole.rows) / comparison.n,
            f"{whole.tell(masked)} {_tell_chance(details)}{_tell_unchanged(details, masked)}"
            f"{warn_if_small(comparison.n)}",
            interval=of_share(max(whole.people, whole.rows), comparison.n, CONFIDENCE),
            records=whole.records,
            details=details,
            finding=f"{whole.find()}{_count_chance(details, comparison.n)}",
            finding_in=comparison.n,
            judged=_judge(whole, details),
        )


@dataclass(frozen=True, repr=False, eq=False)
class _Copied:
    """Of `n` people, how many are unique and published, and how many rows are their records."""

    n: int
    unique: int
    people: int
    rows: int
    records: npt.NDArray[np.float64] | None

    @classmethod
    def among(cls, comparison: Comparison, names: tuple[str, ...]) -> _Copied:
        """Records that consist of these columns."""
        return comparison.gather_classes(partial(cls.of, comparison.in_memory), names)

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> _Copied:  # noqa: FBT001
        unique = frequencies(crowd.original, crowd.original) == 1
        published = unique & (frequencies(crowd.original, crowd.released) > 0)
        rows = frequencies(crowd.original[unique], crowd.released)
        return cls(
            len(unique), int(unique.sum()), int(published.sum()), int(rows.sum()),
            published.astype(float) if keep else None,
        )  # fmt: skip

    def __add__(self, other: _Copied) -> _Copied:
        return _Copied(
            self.n + other.n, self.unique + other.unique, self.people + other.people,
            self.rows + other.rows, None,
        )  # fmt: skip

    def describe(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "unique people": self.unique,
            "people whose record is released": self.people,
            "released rows that are such a record": self.rows,
        }

    def find(self) -> str:
        """What was found, as a clause."""
        if self.rows > self.people:
            return (
                f"{self.rows:,} of {self.n:,} released rows are the whole record of a person who "
                "is unique"
            )
        return f"the whole records of {self.people:,} of {self.n:,} people stand in the release"

    def tell(self, masked: tuple[str, ...]) -> str:
        """The sentence."""
        if not self.unique:
            return f"Nobody's record is unique in {list_names(masked)}, so that none is a copy."
        return (
            f"The whole records of {self.people:,} of {self.n:,} people stand in the release "
            f"({self.unique:,} are unique in {list_names(masked)}); {self.rows:,} of its rows are "
            "such a record."
        )


def _judge(whole: _Copied, details: dict[str, Any]) -> float:
    """The larger share beyond chance."""
    counts = {"people": whole.people, "rows": whole.rows}
    beyond = [n / whole.n - details[f"share of {what} by chance"] for what, n in counts.items()]
    return max(*beyond, 0.0)


def _count_chance(details: dict[str, Any], n: int) -> str:
    """How many are there by chance, where some are."""
    share = max(details[f"share of {what} by chance"] for what in ("people", "rows"))
    return f", where chance alone would bring back {round(share * n):,}" if share * n >= 1 else ""


def _look_at_people(
    comparison: Comparison, masked: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float]]:
    """Shares of people whose record is nearly released, or would be if columns were shuffled."""
    n = comparison.n
    found = count_agreement(comparison, masked, sample_rows(comparison, n))
    near = found.unique & ((found.after[0] > 0) | found.nearly)
    return {"share of people, but for one column": float(near.mean())}, {
        "share of people by chance": float((found.unique * found.expect_any(n)).mean()),
        "share of rows by chance": float((found.unique * found.expect_rows(n)).mean()),
    }


def _tell_chance(details: dict[str, Any]) -> str:
    near = _in_percent(details["share of people, but for one column"])
    people, rows = (details[f"share of {what} by chance"] for what in ("people", "rows"))
    chance = (
        f"of {_in_percent(people)} of the people, in {_in_percent(rows)} of the rows"
        if max(people, rows) >= HARDLY
        else "of hardly anyone"
    )
    return (
        f"But for at most one column, those of {near} of the people do. If each column were "
        f"shuffled, chance alone would bring back the records {chance}."
    )


def _tell_unchanged(details: dict[str, Any], masked: tuple[str, ...]) -> str:
    """How many columns the method did not touch, if some."""
    same = details["columns as they were"]
    if same == 0:
        return ""
    stayed = "is as it was" if same == 1 else "are as they were"
    return f" {same} of {len(masked)} masked columns {stayed}."


def _in_percent(share: float) -> str:
    """A share with the digits that matter.

    >>> _in_percent(0.0), _in_percent(1e-9), _in_percent(0.0123), _in_percent(1.0)
    ('0 %', 'fewer than 0.01 %', '1.2 %', '100 %')
    """
    if 0.0 < share < HARDLY:
        return "fewer than 0.01 %"
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.3g} %"
