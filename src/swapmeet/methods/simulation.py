"""The attack on a method that states none: someone who knows it can try it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence import ATTACK, UNSURE, NeighborLists, NeighborShares

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.intruders.evidence import Evidence, Likelihood
    from swapmeet.methods.base import Method

TRIES = 30


def simulate_attack(method: Method, seen: Evidence, tries: int = TRIES) -> tuple[Likelihood, ...]:
    """Counts of each value in each person's cell when the intruder masked what they know.

    Values that are made, and suppressed ones, say nothing. Where the method cannot mask the few
    columns that the intruder knows, there is no attack.
    """
    if not seen.complete and not method.can_mask(seen.people):
        return ()
    donors = [_mask(method, seen, number) for number in range(tries)]
    pieces = []
    for column, name in enumerate(seen.names):
        who = np.stack([matrix[:, column] for matrix in donors], axis=1)
        if (who < 0).all() or _is_in_place(who):
            continue
        codes = seen.code(name)
        lists = NeighborLists.of_draws(who.astype(np.int32))
        pieces.append(NeighborShares((name,), codes, lists, doubt=UNSURE))
    return tuple(pieces)


def _mask(method: Method, seen: Evidence, number: int) -> Ints:
    return method.outcome(seen.people, ATTACK.within(number), seen.workers).donors.matrix


def _is_in_place(who: Ints) -> bool:
    return bool((who == np.arange(len(who))[:, np.newaxis]).all())
