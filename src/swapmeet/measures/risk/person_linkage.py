"""People with several rows that are found by someone who knows all of them."""

from __future__ import annotations

from swapmeet.intruders.links.household_pairs import PERSONS
from swapmeet.measures.risk.unit_linkage import UnitLinkage
from swapmeet.tables.role import Role


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
