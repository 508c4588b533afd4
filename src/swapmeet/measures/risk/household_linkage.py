"""Whole households that are found by whoever knows all their members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from swapmeet.core.base.sentences import figure
from swapmeet.core.tables.schema import Role
from swapmeet.measures.base import Measure
from swapmeet.measures.intervals import of_share
from swapmeet.measures.intruders import list_names
from swapmeet.measures.linking.household_pairs import HouseholdPairs
from swapmeet.measures.linking.households import HouseholdLinks, HouseholdSearch
from swapmeet.measures.score import CONFIDENCE, Family

if TYPE_CHECKING:
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.score import Score

HUNDRED = 100


@dataclass(frozen=True, kw_only=True)
class HouseholdLinkage(Measure):
    """The share of households that the worst intruder finds in the release.

    The intruder knows the keys of all members of a household, and how many they are. The numbers of
    households, dealt anew as they are, tie the rows of a household together in the release; so the
    intruder looks for the released household of the same size whose rows fit the members best, each
    member by the row that fits them best. What one row would not tell, several do together: this is
    more than a search for single people finds. Several ways to look are tried, one that knows how
    the table was masked among them, and the worst counts. Where there are many households, random
    ones are sought among all.

    A link is right if more than half of the rows of the household found stand in the place of the
    household sought, or came from it. For an unchanged release all households are found that no
    other one equals; for a blind one about one in as many as there are of its size.
    """

    name: ClassVar[str] = "household-linkage"
    family: ClassVar[Family] = Family.RISK
    question: ClassVar[str] = "How many households does whoever knows all their members find?"
    remedy: ClassVar[str] = (
        "Members of a household give each other away: let households trade as wholes "
        "(--whole-households), or leave out the number of the household."
    )
    needs: ClassVar[tuple[Role, ...]] = (Role.HOUSEHOLD,)
    by_pairs: ClassVar[bool] = True

    def score(self, comparison: Comparison) -> Score:
        tried = comparison.once(find_households)
        worst = max(tried, key=lambda one: one.found.mean())
        share, sought = float(worst.found.mean()), len(worst.found)
        known = list_names(comparison.keys or comparison.known)
        method = ", and how the table was masked," if worst.by_method else ""
        who = f"an intruder who knows {known} of all members of a household{method}"
        finding = f"{who} finds {figure(HUNDRED * share, 2)} of 100 households"
        total = int(comparison.original.household.max()) + 1  # type: ignore[union-attr]
        details: dict[str, Any] = {
            "households": total,
            "sought": sought,
            "way": worst.way,
            "knows how it was masked": worst.by_method,
            "members found with them": float(worst.members.mean()),
            "ways": [
                {"way": one.way, "knows how it was masked": one.by_method,
                 "share": float(one.found.mean())}
                for one in tried
            ],
            "blind": 1.0 / total,
        }  # fmt: skip
        return self.make_score(
            share, f"{finding[:1].upper()}{finding[1:]} (of {sought:,} sought among {total:,}).",
            interval=of_share(float(worst.found.sum()), sought, CONFIDENCE),
            finding=finding, finding_in=HUNDRED, details=details,
        )  # fmt: skip


def find_households(comparison: Comparison) -> list[HouseholdLinks]:
    """What each way to look for households finds, by the keys of the verdict's intruder."""
    names = comparison.original.names
    keys = tuple(name for name in names if name in comparison.keys) or comparison.known
    return list(HouseholdSearch(HouseholdPairs.of(comparison, keys)).try_all())
