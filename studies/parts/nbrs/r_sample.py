"""The random sample of R (before 3.6), so that a sample drawn there can be drawn again.

R fills the state of a Mersenne Twister by a linear congruential generator from the seed, and takes
one number for each place of a sample without replacement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

WORDS, WARM_UP, FACTOR, MODULUS = 624, 50, 69_069, 2**32
TO_UNIT = 2.3283064365386963e-10


def draw_sample(seed: int, among: int, size: int) -> npt.NDArray[np.int64]:
    """What `set.seed(seed); sample(among, size)` gave, counted from 0.

    >>> (draw_sample(42, 10, 4) + 1).tolist()
    [10, 9, 3, 6]
    """
    generator = np.random.MT19937()
    state = generator.state
    state["state"]["key"], state["state"]["pos"] = _fill_state(seed), WORDS
    generator.state = state
    urn, drawn = np.arange(among), np.empty(size, np.int64)
    for place, number in enumerate(generator.random_raw(size) * TO_UNIT):
        left = among - place
        chosen = int(left * number)
        drawn[place] = urn[chosen]
        urn[chosen] = urn[left - 1]
    return drawn


def _fill_state(seed: int) -> npt.NDArray[np.uint32]:
    for _ in range(WARM_UP + 1):
        seed = (FACTOR * seed + 1) % MODULUS
    key = np.empty(WORDS, np.uint32)
    for place in range(WORDS):
        seed = (FACTOR * seed + 1) % MODULUS
        key[place] = seed
    return key
