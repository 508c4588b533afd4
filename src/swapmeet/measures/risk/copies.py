"""People whose record is in the release, no matter in whose place."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from swapmeet.base.arrays import Floats
from swapmeet.base.sentences import agree
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.sums import OF_ROWS, Sums
from swapmeet.comparison.table_size import warn_if_small
from swapmeet.intruders.nearest_records import sample_rows
from swapmeet.intruders.record_agreement import (
    OwnCopies,
    count_agreement,
    frequencies,
    list_unchanged,
)
from swapmeet.measures.base import Coverage, RiskMeasure


@dataclass(frozen=True, repr=False, eq=False)
class CopiedRecords(Sums):
    """Of `n` people, how many are unique and published, and how many rows are their records.

    `paired` people share their record with exactly one other.
    """

    n: int
    unique: int
    paired: int
    people: int
    rows: int
    records: Floats | None = field(metadata=OF_ROWS)

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


HARDLY = 1e-4
BY_RELATIONS = 2.0
"""So many times the copies that strangers would have may be due to relations, which fit the people
of the file better than strangers."""


class Copies(RiskMeasure):
    """The share of people whose whole record is in the release, no matter in whose place.

    A record is a person's values in all masked columns, and counts if nobody else in the original
    has the same; a missing value is a value. The value is the larger one of two shares: of people
    whose record is released, and of released rows that are such a record, because one record may
    be released many times. Details: people whose record is released but for one column (in whose
    other columns they are unique as well), the same for the keys alone, and what both shares would
    be if each released column were shuffled. An unchanged release of unique people scores 1.

    Limits are compared with what is in the file beyond chance: it was counted, not estimated, and
    records that shuffled columns would also bring back reveal nobody. A release that keeps
    relations brings back more, from the cells of several people, as another sample of the same
    population would. Where the donor map is known, limits are therefore compared with the copies
    that are the person's own data; the others are counted and mentioned, but count against the
    release only as far as they are more than twice as many as in such a sample.
    """

    name = "copies"
    growth = "rows × columns"
    question = "How many people's whole records are in the release?"
    coverage = Coverage.ALL
    remedy = (
        "Some whole records are in the release. Take larger groups, or let columns move separately."
    )

    def score(self, comparison: Comparison) -> Score:
        masked, keys = comparison.masked_directly, comparison.keys
        if not masked:
            raise Undefined("no column was masked")
        whole = CopiedRecords.among(comparison, masked)
        details: dict[str, Any] = whole.describe()
        near, chance = _look_at_people(comparison, masked)
        details |= near | chance
        details["columns as they were"] = len(list_unchanged(comparison, masked))
        own = OwnCopies.among(comparison, masked) if whole.rows else None
        if own is not None:
            details |= own.describe() | {"share of strangers with such a record": whole.strangers}
        if keys and set(keys) != set(masked):
            on_keys = CopiedRecords.among(comparison, keys)
            details |= {f"{name}, keys only": count for name, count in on_keys.describe().items()}
        judgement = _Judgement(whole, details, own)
        finding = f"{whole.find()}{_count_chance(details, comparison.n)}{judgement.find()}"
        return self.make_score(
            max(whole.people, whole.rows) / comparison.n,
            f"{whole.tell(masked)}{judgement.tell()} {_tell_chance(details)}"
            f"{_tell_unchanged(details, masked)}{warn_if_small(comparison.n)}",
            interval=of_share(max(whole.people, whole.rows), comparison.n, CONFIDENCE),
            records=whole.records,
            details=details,
            finding=finding,
            finding_in=comparison.n,
            judged=judgement.judged,
            beside=finding if judgement.judged < judgement.beyond_chance else "",
        )


@dataclass(frozen=True, repr=False, eq=False)
class _Judgement:
    """Figures that limits are compared with; `own` is None where owners are unknown."""

    whole: CopiedRecords
    details: dict[str, Any]
    own: OwnCopies | None

    @property
    def judged(self) -> float:
        """The share beyond chance; if it is less, what is people's own, and more than strangers."""
        if self.own is None:
            return self.beyond_chance
        return min(self.beyond_chance, self.own.at_most + self._beyond_strangers)

    @property
    def beyond_chance(self) -> float:
        """The larger share beyond chance."""
        counts = {"people": self.whole.people, "rows": self.whole.rows}
        chance = {what: self.details[f"share of {what} by chance"] for what in counts}
        return max(*(n / self.whole.n - chance[what] for what, n in counts.items()), 0.0)

    @property
    def _beyond_strangers(self) -> float:
        """Count the copies that are nobody's own beyond what chance or relations explain."""
        assert self.own is not None
        chance = self.details["share of rows by chance"]
        explained = max(BY_RELATIONS * self.whole.strangers, chance)
        return max(self.whole.rows / self.whole.n - self.own.share - explained, 0.0)

    def find(self) -> str:
        """Say how many of the copies are the person's own, as a clause."""
        if self.own is None:
            return ""
        more = ", more than relations explain" * bool(self._beyond_strangers)
        return f"; {self.own.tell(self.whole.rows)}{more}"

    def tell(self) -> str:
        """The same as sentences."""
        if self.own is None:
            return ""
        finding = self.find().removeprefix("; ")
        share = self.whole.strangers
        strangers = f"about {_in_percent(share)}" if share >= HARDLY else "hardly anyone"
        return (
            f" {finding[0].upper()}{finding[1:]}. Of people like these who are not in the file, "
            f"{strangers} would have such a record."
        )


def _count_chance(details: dict[str, Any], n: int) -> str:
    """Say how many are there by chance, where some are."""
    share = max(details[f"share of {what} by chance"] for what in ("people", "rows"))
    return f", where chance alone would bring back {round(share * n):,}" if share * n >= 1 else ""


def _look_at_people(
    comparison: Comparison, masked: tuple[str, ...]
) -> tuple[dict[str, float], dict[str, float]]:
    """Shares of people whose record is nearly released, or would be if columns were shuffled."""
    n = comparison.n
    agreement = count_agreement(comparison, masked, sample_rows(comparison, n))
    near = agreement.unique & ((agreement.after[0] > 0) | agreement.nearly)
    return {"share of people, but for one column": float(near.mean())}, {
        "share of people by chance": float((agreement.unique * agreement.expect_any(n)).mean()),
        "share of rows by chance": float((agreement.unique * agreement.expect_rows(n)).mean()),
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
        f"Apart from at most one column, those of {near} of the people are. If each column were "
        f"shuffled, chance alone would bring back the records {chance}."
    )


def _tell_unchanged(details: dict[str, Any], masked: tuple[str, ...]) -> str:
    """Say how many columns the method did not touch, if some."""
    same = details["columns as they were"]
    if same == 0:
        return ""
    stayed = agree(same, "is as it was", "are as they were")
    return f" {same} of {len(masked)} masked columns {stayed}."


def _in_percent(share: float) -> str:
    """A share with the digits that matter.

    >>> _in_percent(0.0), _in_percent(1e-9), _in_percent(0.0123), _in_percent(1.0)
    ('0 %', 'fewer than 0.01 %', '1.2 %', '100 %')
    """
    if 0.0 < share < HARDLY:
        return "fewer than 0.01 %"
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.3g} %"
