"""For everybody, how likely they are to have got a value from their neighbours."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel


@kernel
def weigh_receivers(
    codes: Ints,
    starts: Ints,
    holders: Ints,
    begins: Ints,
    people: ShortInts,
    weights: Floats,
    stay: float,
    doubt: float,
    chances: Floats,
    logs: Floats,
) -> None:
    """Write a line of log-likelihoods of everybody for each code.

    `holders` from `starts[code]` on have the value; the entries of `people` and `weights` from
    `begins[holder]` on are those who may receive it. Who has it keeps it with probability `stay`.
    """
    shares = np.zeros(logs.shape[1])
    touched = np.empty(logs.shape[1], np.int64)
    for line in range(codes.shape[0]):
        code = codes[line]
        chance = doubt * chances[code]
        count = 0
        for place in range(starts[code], starts[code + 1]):
            holder = holders[place]
            if stay > 0.0:
                if shares[holder] == 0.0:
                    touched[count] = holder
                    count += 1
                shares[holder] += stay
            for entry in range(begins[holder], begins[holder + 1]):
                person, share = people[entry], (1.0 - stay) * weights[entry]
                if share == 0.0:
                    continue
                if shares[person] == 0.0:
                    touched[count] = person
                    count += 1
                shares[person] += share
        floor = np.log(chance) if chance > 0.0 else -np.inf
        for person in range(logs.shape[1]):
            logs[line, person] = floor
        for place in range(count):
            person = touched[place]
            share = (1.0 - doubt) * shares[person] + chance
            logs[line, person] = np.log(share) if share > 0.0 else -np.inf
            shares[person] = 0.0
