"""Counts of rows that would have broken a rule, and what was done about them."""

from __future__ import annotations

from typing import NamedTuple

from swapmeet.base.sentences import count


class RuleCount(NamedTuple):
    """Rows in which the method broke a rule: some were repaired, some lost the values, some stay.

    `left` are all rows of the release that break the rule.
    """

    rule: str
    broken: int = 0
    repaired: int = 0
    suppressed: int = 0
    left: int = 0

    def merge(self, other: RuleCount) -> RuleCount:
        """The counts of both, for the same rule.

        >>> RuleCount("a < b", 2, 1, 1).merge(RuleCount("a < b", 1, 1))
        RuleCount(rule='a < b', broken=3, repaired=2, suppressed=1, left=0)
        """
        mine, theirs = self[1:], other[1:]
        return RuleCount(self.rule, *(a + b for a, b in zip(mine, theirs, strict=True)))

    def describe(self, rows: int) -> str:
        """A sentence for the curator.

        >>> RuleCount("a < b", 3, 2, 1).describe(10)
        'rule a < b: the method broke it in 3 of 10 rows; 2 were repaired, 1 lost these values.'
        """
        if not self.broken and not self.left:
            return f"rule {self.rule}: holds in all rows, and the method broke it in none."
        done = {
            f"{count_were(self.repaired)} repaired": self.repaired,
            f"{self.suppressed:,} lost these values": self.suppressed,
            f"{count(self.left, 'row')} of the release still break it": self.left,
        }
        told = ", ".join(text for text, number in done.items() if number)
        return f"rule {self.rule}: the method broke it in {self.broken:,} of {rows:,} rows; {told}."


def count_were(number: int) -> str:
    """Begin a clause with a number of rows.

    >>> count_were(1), count_were(2)
    ('1 was', '2 were')
    """
    return f"{number:,} {'was' if number == 1 else 'were'}"


def merge_rule_counts(
    one: tuple[RuleCount, ...], other: tuple[RuleCount, ...]
) -> tuple[RuleCount, ...]:
    """The counts of both, rule by rule."""
    if not one or not other:
        return one or other
    return tuple(a.merge(b) for a, b in zip(one, other, strict=True))
