"""Words of a method about itself and its settings, for people.

An exact window, width or number of bins shows an intruder how far a value can have travelled; an
analyst only needs to know about how far. So a method names the settings that the public may learn,
and rounds them. All others stay inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

REAL_VALUES = (
    "Values are real: an extreme value is released as it is, in this or another row. An intruder "
    "who knows that somebody has the highest value of a column learns that value."
)
"""A caution of all methods that move values as they are."""


@dataclass(frozen=True)
class PublicSetting:
    """A setting as the public learns it: what it is, and its value in coarse words."""

    what: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Description:
    """A method with its settings, in words; those given here are for a method from elsewhere.

    `title` is its full name. `people` says by which rule values are masked, in words for the people
    in the data, and `analysts` what follows from the rule for analyses: only what is true whatever
    the data are, because what became of the values is said from the release's own figures. Of a
    method from elsewhere nothing is said. `settings` may be published; `cautions`, what the method
    does not protect against, are for the people who decide.
    """

    title: str = "a masking method"
    people: str = ""
    analysts: str = ""
    settings: tuple[PublicSetting, ...] = ()
    cautions: tuple[str, ...] = ()


def describe_count(count: int) -> str:
    """About how many.

    >>> describe_count(5), describe_count(40), describe_count(250)
    ('a few', 'ten or more', 'a hundred or more')
    """
    if count < 10:
        return "a few"
    return "ten or more" if count < 100 else "a hundred or more"


def describe_chance(q: float) -> str:
    """About how often, in tenths.

    >>> describe_chance(0.87), describe_chance(1.0), describe_chance(0.02), describe_chance(0.99)
    ('in about 9 of 10 cases', 'always', 'in fewer than 1 of 10 cases', 'nearly always')
    """
    tenths = round(10.0 * q)
    if q == 1.0:
        return "always"
    if q == 0.0:
        return "never"
    if tenths == 10:
        return "nearly always"
    return f"in about {tenths} of 10 cases" if tenths else "in fewer than 1 of 10 cases"


def describe_bound(share: float) -> str:
    """A share that is not exceeded, rounded up to a tenth.

    >>> describe_bound(0.31), describe_bound(0.3)
    ('about 0.4', 'about 0.3')
    """
    tenths = -int(-10.0 * share // 1)
    return f"about {tenths / 10:g}"


def describe_size(share: float) -> str:
    """A share, rounded to a tenth.

    >>> describe_size(0.234), describe_size(0.01)
    ('about 0.2', 'less than 0.1')
    """
    return f"about {share:.1f}" if share >= 0.1 else "less than 0.1"


def describe_use(value: float) -> str:
    """Return whether something was done at all.

    >>> describe_use(0.05), describe_use(False)
    ('yes', 'no')
    """
    return "yes" if value else "no"


def floor_share(share: float, size: int) -> int:
    """floor(share * size) with the share as it is written: doubles would make 28.99... of 29.

    >>> floor_share(0.29, 100)
    29
    """
    return int(Decimal(repr(share)) * size)


def round_up(number: float) -> str:
    """A number with two digits that matter, not below it.

    >>> round_up(1.8342), round_up(0.0412), round_up(1234.0), round_up(0.0)
    ('1.9', '0.042', '1300', '0')
    """
    if number <= 0.0:
        return "0"
    unit = Decimal(1).scaleb(Decimal(number).adjusted() - 1)
    return f"{(Decimal(number) / unit).to_integral_value(ROUND_CEILING) * unit:f}"
