"""Whole households that are found by someone who knows all their members."""

from __future__ import annotations

from swapmeet.intruders.links.household_pairs import HOUSEHOLDS
from swapmeet.measures.risk.unit_linkage import UnitLinkage
from swapmeet.tables.role import Role


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
