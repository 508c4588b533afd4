"""Trades in groups: a random start, then those that bring relations nearer to the original's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.exchange import shuffle
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.methods.matched_swap.trading.features import Triples, add_triples, change_triples


class Board(NamedTuple):
    """The places of the rows, group by group, and what stands in each.

    `feature` and `value` are the entries of features; what trades as unit j are those in
    begins[j]:begins[j + 1], and entries behind the last unit never move. Groups are the places
    starts[g]:starts[g + 1].
    """

    feature: ShortInts
    value: Floats
    begins: Ints
    donors: Ints
    starts: Ints
    group_of: Ints


class TradeGoal(NamedTuple):
    """Goal of the trades: what is to become small, and what no trade may break.

    `pull` is W E W, kept up to date; `weights` is W for numbers, which come first. `gaps` are those
    of the triples. `limit` is the largest number of cells of one person in a place. `together` has
    for each two units in how many places their cells come from one person; no trade brings that
    above `most`.
    """

    pull: Floats
    weights: Floats
    triples: Triples
    gaps: Floats
    limit: int
    together: Ints
    most: int


@kernel
def trade(board: Board, goal: TradeGoal, heat: float, random_bits: Ints) -> float:
    """Propose a trade for each word of random bits; return by how much the objective fell.

    With d what the first place gains in the unit that trades, and v what tells the two places
    apart in all else, E changes by d v' + v d', and tr(W E W E) / 2, the objective, by
    2 d'WEW v + (d'W v)² + d'W d · v'W v; the squared gaps of triples are added to it. A trade that
    raises it by c is accepted with probability exp(-c / heat); with no heat, never.
    """
    feature, value, begins, donors = board.feature, board.value, board.begins, board.donors
    pull, weights = goal.pull, goal.weights
    n, q = feature.shape
    units, threes = begins.shape[0] - 1, goal.gaps.shape[0] > 0
    gain_at, gain_by = np.empty(2 * q, np.int64), np.empty(2 * q)
    rest_at, rest_by = np.empty(2 * q, np.int64), np.empty(2 * q)
    gain_numbers, rest_numbers = np.empty(2 * q, np.int64), np.empty(2 * q, np.int64)
    room = 2 * q + weights.shape[0]
    up_at, up_by = np.empty((2, room), np.int64), np.empty((2, room))
    fallen = 0.0
    for t in range(random_bits.shape[0]):
        word = random_bits[t]
        a, word = word % n, word // n
        unit, word = word % units, word // units
        start = board.starts[board.group_of[a]]
        others = board.starts[board.group_of[a] + 1] - start - 1
        if others == 0:
            continue
        b = start + (a - start + 1 + word % others) % (others + 1)
        begin, end = begins[unit], begins[unit + 1]
        gains = _list_differences(feature, value, begin, end, b, a, gain_at, gain_by, 0)
        if gains == 0:
            continue
        rests = _list_differences(feature, value, 0, begin, a, b, rest_at, rest_by, 0)
        rests = _list_differences(feature, value, end, q, a, b, rest_at, rest_by, rests)
        bar = 0.0
        if heat > 0.0:
            bar = -heat * np.log((word // others + 0.5) * (1.0 * n * units * others) / 2.0**63)
        change = 0.0
        if threes:
            change = change_triples(feature, value, goal.triples, goal.gaps, a, b, begin, end)
        for i in range(gains):
            for j in range(rests):
                change += 2.0 * gain_by[i] * pull[gain_at[i], rest_at[j]] * rest_by[j]
        if change >= bar:
            continue
        if (
            count_cells(donors, a, donors[b, unit], unit) >= goal.limit
            or count_cells(donors, b, donors[a, unit], unit) >= goal.limit
            or _go_together(donors, a, b, unit, goal.together, goal.most)
        ):
            continue
        number_gains = _find_numbers(gain_at, gains, weights.shape[0], gain_numbers)
        number_rests = _find_numbers(rest_at, rests, weights.shape[0], rest_numbers)
        one, two = gain_numbers[:number_gains], rest_numbers[:number_rests]
        across = _multiply(weights, gain_at, gain_by, one, rest_at, rest_by, two)
        change += across * across
        if change >= bar:
            continue
        change += (
            _multiply(weights, gain_at, gain_by, one, gain_at, gain_by, one)
            + _square_levels(gain_at, gain_by, gains, weights.shape[0])
        ) * (
            _multiply(weights, rest_at, rest_by, two, rest_at, rest_by, two)
            + _square_levels(rest_at, rest_by, rests, weights.shape[0])
        )
        if change >= bar:
            continue
        fallen -= change
        if threes:
            add_triples(feature, value, goal.triples, goal.gaps, a, b, begin, end)
        ones = _lift(weights, gain_at, gain_by, gains, up_at[0], up_by[0])
        twos = _lift(weights, rest_at, rest_by, rests, up_at[1], up_by[1])
        _add_products(pull, up_at[0], up_by[0], ones, up_at[1], up_by[1], twos)
        for e in range(begin, end):
            feature[a, e], feature[b, e] = feature[b, e], feature[a, e]
            value[a, e], value[b, e] = value[b, e], value[a, e]
        _count_anew(donors, a, b, unit, goal.together)
        donors[a, unit], donors[b, unit] = donors[b, unit], donors[a, unit]
    return fallen


@kernel
def count_together(donors: Ints) -> Ints:
    """For each two units, in how many places their cells come from one person."""
    units = donors.shape[1]
    together = np.zeros((units, units), np.int64)
    for place in range(donors.shape[0]):
        for one in range(units):
            for two in range(units):
                together[one, two] += donors[place, one] == donors[place, two]
    return together


@kernel
def _go_together(donors: Ints, a: int, b: int, unit: int, together: Ints, most: int) -> bool:
    """Return whether a trade would put the unit with another one more often than allowed."""
    for other in range(donors.shape[1]):
        if other != unit:
            more = _count_more(donors, a, b, unit, other)
            if more > 0 and together[unit, other] + more > most:
                return True
    return False


@kernel
def _count_anew(donors: Ints, a: int, b: int, unit: int, together: Ints) -> None:
    """Bring the counts up to date, before two places trade a unit."""
    for other in range(donors.shape[1]):
        if other != unit:
            more = _count_more(donors, a, b, unit, other)
            together[unit, other] += more
            together[other, unit] += more


@kernel
def _count_more(donors: Ints, a: int, b: int, unit: int, other: int) -> int:
    """In how many more places two units are together if two places trade the first of them."""
    one, two = donors[a, unit], donors[b, unit]
    here, there = donors[a, other], donors[b, other]
    return (two == here) + (one == there) - (one == here) - (two == there)


@kernel
def _list_differences(
    feature: ShortInts, value: Floats, begin: int, end: int, one: int, two: int, at: Ints,
    by: Floats, count: int,
) -> int:  # fmt: skip
    """Add to a list by how much the features of two places differ; return its length."""
    for e in range(begin, end):
        if feature[one, e] == feature[two, e]:
            at[count], by[count] = feature[one, e], value[one, e] - value[two, e]
            count += by[count] != 0.0
        else:
            at[count], by[count] = feature[one, e], value[one, e]
            at[count + 1], by[count + 1] = feature[two, e], -value[two, e]
            count += 2
    return count


@kernel
def _find_numbers(at: Ints, count: int, numbers: int, places: Ints) -> int:
    """List the places of the numbers in a list; return how many there are."""
    length = 0
    for i in range(count):
        places[length] = i
        length += at[i] < numbers
    return length


@kernel
def _multiply(
    weights: Floats, one_at: Ints, one_by: Floats, ones: Ints, two_at: Ints, two_by: Floats,
    twos: Ints,
) -> float:  # fmt: skip
    """The product through W of the numbers in two lists, which stand at `ones` and `twos`."""
    total = 0.0
    for i in ones:
        for j in twos:
            total += one_by[i] * weights[one_at[i], two_at[j]] * two_by[j]
    return total


@kernel
def _square_levels(at: Ints, by: Floats, count: int, numbers: int) -> float:
    """Square the features behind the numbers, whose weight is 1, for the square of a list."""
    total = 0.0
    for i in range(count):
        if at[i] >= numbers:
            total += by[i] * by[i]
    return total


@kernel
def _lift(
    weights: Floats, at: Ints, by: Floats, count: int, lifted_at: Ints, lifted_by: Floats
) -> int:
    """The product of W and a list, as a list; return its length."""
    numbers = weights.shape[0]
    length = 0
    for i in range(count):
        if at[i] >= numbers:
            lifted_at[length], lifted_by[length] = at[i], by[i]
            length += 1
    if length == count:
        return length
    for row in range(numbers):
        total = 0.0
        for i in range(count):
            if at[i] < numbers:
                total += weights[row, at[i]] * by[i]
        lifted_at[length], lifted_by[length] = row, total
        length += 1
    return length


@kernel
def _add_products(
    pull: Floats, one_at: Ints, one_by: Floats, ones: int, two_at: Ints, two_by: Floats, twos: int
) -> None:
    """Add d v' + v d' to the pull, d and v being two lists."""
    for i in range(ones):
        for j in range(twos):
            change = one_by[i] * two_by[j]
            pull[one_at[i], two_at[j]] += change
            pull[two_at[j], one_at[i]] += change


@kernel
def permute_columns(starts: Ints, donors: Ints, random_bits: Ints) -> None:
    """Fill the donors of each column with a uniformly random order of each group's places.

    Groups are the places starts[g]:starts[g + 1]; `random_bits` has 63 bits for each cell.
    """
    for j in range(donors.shape[1]):
        order = np.arange(donors.shape[0])
        for group in range(starts.shape[0] - 1):
            shuffle(order, starts[group], starts[group + 1], random_bits[:, j])
        for place in range(donors.shape[0]):
            donors[place, j] = order[place]


@kernel
def spread_cells(starts: Ints, donors: Ints, limit: int, random_bits: Ints) -> int:
    """Let places with more than `limit` cells of one person trade; return how many such are left.

    Each of them offers a random cell to a random place of its group, and trades unless that makes
    it worse. `random_bits` has 63 bits for each place.
    """
    left = 0
    for group in range(starts.shape[0] - 1):
        begin, size = starts[group], starts[group + 1] - starts[group]
        for place in range(begin, begin + size):
            if _excess_of(donors, place, limit) > 0:
                word = random_bits[place]
                other, column = begin + word % size, (word // size) % donors.shape[1]
                _trade_unless_worse(donors, place, other, column, limit)
                left += 1
    return left


@kernel
def lay_in_turns(starts: Ints, donors: Ints, limit: int, random_bits: Ints) -> None:
    """Lay out anew the groups in which a place has more than `limit` cells of one person.

    Members stand in a random order, and so do the places. In each column, a place has the cell of
    the member some steps ahead; all numbers of steps are used by about as many columns.
    `random_bits` has 63 bits for each cell, and for one column more.
    """
    for group in range(starts.shape[0] - 1):
        begin, end = starts[group], starts[group + 1]
        excess = 0
        for place in range(begin, end):
            excess += _excess_of(donors, place, limit)
        if excess > 0:
            _lay_group(donors, begin, end, random_bits)


@kernel
def count_cells(donors: Ints, place: int, person: int, skipped: int) -> int:
    """Count the cells of a place that come from a person, one column left out."""
    count = 0
    for j in range(donors.shape[1]):
        count += j != skipped and donors[place, j] == person
    return count


@kernel
def _excess_of(donors: Ints, place: int, limit: int) -> int:
    """Count the cells by which persons exceed the limit, each cell counting those before it."""
    excess = 0
    for j in range(donors.shape[1]):
        earlier = 0
        for other in range(j):
            earlier += donors[place, other] == donors[place, j]
        excess += earlier >= limit
    return excess


@kernel
def _trade_unless_worse(donors: Ints, a: int, b: int, j: int, limit: int) -> None:
    before = _excess_of(donors, a, limit) + _excess_of(donors, b, limit)
    donors[a, j], donors[b, j] = donors[b, j], donors[a, j]
    if _excess_of(donors, a, limit) + _excess_of(donors, b, limit) > before:
        donors[a, j], donors[b, j] = donors[b, j], donors[a, j]


@kernel
def _lay_group(donors: Ints, begin: int, end: int, random_bits: Ints) -> None:
    columns, size = donors.shape[1], end - begin
    members, places = np.arange(begin, end), np.arange(begin, end)
    shuffle(members, 0, size, random_bits[begin:end, columns] >> 8)
    shuffle(places, 0, size, random_bits[begin:end, 0])
    turns = np.arange(columns) % size
    words = np.empty(columns, np.int64)
    for j in range(columns):
        words[j] = random_bits[begin + j % size, j] >> 8
    shuffle(turns, 0, columns, words)
    for at in range(size):
        for j in range(columns):
            donors[places[at], j] = members[(at + turns[j]) % size]
