"""Units of several rows that are found as wholes: households, and people with several rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from swapmeet.base.sentences import count_in_100
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.knowledge import list_names
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.intruders.links.household_pairs import HOUSEHOLDS, PERSONS, UnitWords
from swapmeet.intruders.links.households import UNIT_SEARCHES, HouseholdLinks
from swapmeet.measures.base import RiskMeasure
from swapmeet.tables.role import Role

HUNDRED = 100


@dataclass(frozen=True, kw_only=True)
class UnitLinkage(RiskMeasure):
    """The share of units of some sort that the worst intruder finds; `words` say which sort."""

    growth = "people × rows × columns"
    by_pairs = True
    words: ClassVar[UnitWords]

    def score(self, comparison: Comparison) -> Score:
        tried, gaps = comparison.once(UNIT_SEARCHES[self.words.role])
        if not tried:
            raise Undefined(gaps.words)
        worst = max(tried, key=lambda one: one.hits.mean())
        share, sought = float(worst.hits.mean()), len(worst.hits)
        known = list_names(comparison.keys or comparison.known)
        method = ", and how the table was masked," if worst.by_method else ""
        who = f"an intruder who knows {known} of {self.words.known}{method}"
        finding = f"{who} finds {count_in_100(share)} of 100 {self.words.many}"
        total = int(comparison.find_units(self.words.role)[0].max()) + 1  # type: ignore[index]
        return self.make_score(
            share, f"{finding[:1].upper()}{finding[1:]} (of {sought:,} sought among {total:,}).",
            interval=of_share(float(worst.hits.sum()), sought, CONFIDENCE),
            finding=finding, finding_in=HUNDRED, details=self._detail(tried, worst, total),
            hidden=gaps.words,
        )  # fmt: skip

    def _detail(
        self, tried: list[HouseholdLinks], worst: HouseholdLinks, total: int
    ) -> dict[str, Any]:
        return {
            self.words.many: total,
            "sought": len(worst.hits),
            "way": worst.way,
            "knows how it was masked": worst.by_method,
            f"{self.words.rows} found with them": float(worst.members.mean()),
            "ways": [
                {"way": one.way, "knows how it was masked": one.by_method,
                 "share": float(one.hits.mean())}
                for one in tried
            ],
            "blind": 1.0 / total,
        }  # fmt: skip


class HouseholdLinkage(UnitLinkage):
    """The share of households that the worst intruder finds in the release.

    The intruder knows the keys of all members of a household, and how many they are. The numbers of
    households, new and random as they are, tie the rows of a household together in the release; so
    the intruder looks for the released household of the same size whose rows fit the members best,
    each member by the row that fits them best. What one row would not reveal, several do together:
    this is more than a search for single people finds. Several ways to look are tried, one that
    knows how the table was masked among them, and the worst counts. Where there are many
    households, random ones are sought among all.

    A link is right if more than half of the rows of the household found are in the place of the
    household sought, or came from it. For an unchanged release all households are found that no
    other one equals; for a blind one about one in as many as there are of its size.
    """

    name = "household-linkage"
    question = "How many households can someone who knows all their members find?"
    remedy = (
        "Members of a household give each other away. Let households trade as wholes "
        "(--whole-households), or drop the household number."
    )
    needs = (Role.HOUSEHOLD,)
    words = HOUSEHOLDS


class PersonLinkage(UnitLinkage):
    """The share of people with several rows that the worst intruder finds in the release.

    The intruder knows the keys in all rows of a person, such as visits or years, and how many there
    are. The numbers of people, new and random as they are, tie the rows of a person together in the
    release; so the intruder looks for the person with as many rows, of which each fits one that is
    known. What one row would not reveal, several do together. The ways to look, and when a link is
    right, are those of `household-linkage`, with rows in place of members.
    """

    name = "person-linkage"
    question = "How many people can someone who knows all their rows find?"
    remedy = (
        "The rows of a person give each other away. Mask what differs between them more strongly, "
        "release fewer rows of each person, or drop the person number."
    )
    needs = (Role.PERSON,)
    words = PERSONS
