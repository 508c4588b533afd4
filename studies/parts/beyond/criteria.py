"""What the papers ask of a release before they compare what is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parts.beyond.candidates import Candidate

SMALL_GROUPS = (5, 6)
"""Stated sizes of groups or neighbourhoods; 6 is MEDS, which leaves a row of five in place."""
PSCR_LIMIT = SORTED_LIMIT = 0.2


@dataclass(frozen=True)
class Criterion:
    """A paper's condition, and how it is called on the page."""

    paper: str
    words: str
    make: Callable[[Sequence[Candidate]], Callable[[Candidate], bool]]


def keep_sorted(_: Sequence[Candidate]) -> Callable[[Candidate], bool]:
    """SJPPDS: both files sorted by a column, the nearest record is the pair's in under .2."""
    return lambda one: (one.risk("dbrl-sorted") or 0.0) < SORTED_LIMIT


def keep_distance(here: Sequence[Candidate]) -> Callable[[Candidate], bool]:
    """RWN: people's distance to the nearest record is at least that after RWN with k = 5."""
    level = next((one.risk("dcr") or 0.0 for one in here if one.words.startswith("rwn k=5")), 0.0)
    return lambda one: (one.risk("dcr") or 0.0) >= level - 1e-12


def keep_pscr(_: Sequence[Candidate]) -> Callable[[Candidate], bool]:
    """RWN: the released record nearest to a person is theirs in under .2."""
    return lambda one: (one.risk("pscr") or 0.0) < PSCR_LIMIT


def keep_small_groups(_: Sequence[Candidate]) -> Callable[[Candidate], bool]:
    """K-L-θ and others: groups, neighbourhoods or leaves of five."""
    return lambda one: (
        one.settings.get("k") in SMALL_GROUPS or one.settings.get("min_leaf") in SMALL_GROUPS
    )


CRITERIA = {
    "dbrl-sorted": Criterion("SJPPDS", "dbrl-sorted < .2", keep_sorted),
    "dcr": Criterion("RWN", "dcr at least that of RWN, k = 5", keep_distance),
    "pscr": Criterion("RWN", "pscr < .2", keep_pscr),
    "k = 5": Criterion("K-L-θ, MEDS", "groups of five (or six)", keep_small_groups),
}
