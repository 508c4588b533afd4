"""Base of methods on neighbourhoods: rows as points, random bits for cells, and draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.algorithms.neighbors import (
    DrawTask,
    NeighborCache,
    NeighborSearch,
    Rule,
    draw_members,
)
from swapmeet.algorithms.neighbors.search import TOLERANCE, DrawSummary, require_rows
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.cache import Cache
from swapmeet.base.notes import MergeableNote
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Optional, OtherNames, PythonFunction
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import agree
from swapmeet.errors import ParameterError, SchemaError, did_you_mean
from swapmeet.intruders.evidence import (
    ATTACK,
    UNSURE,
    ChosenRows,
    Evidence,
    Likelihood,
    NeighborLists,
    NeighborShares,
    code_both,
)
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.base import Method
from swapmeet.release.donors import DonorMap
from swapmeet.tables.microdata import Microdata, refuse_infinite
from swapmeet.tables.schema import Schema

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.by_function import PairDistances
    from swapmeet.algorithms.neighbors.exact_draws import Extents

    Draw = Callable[[Rule, Ints], DrawSummary]

NearColumns = Annotated[
    tuple[str, ...] | None,
    Optional(OtherNames()),
    "columns that count in the distance and are not masked: published ones, or dropped ones",
]
OwnDistance = Annotated[
    Any,
    Optional(PythonFunction()),
    "a function of your own that says how far rows are apart, in place of scale and weights",
]

EXACT = NeighborSearch()


class NeighborhoodMethod(Method):
    """A method by distances of rows, in columns that it masks and `near` ones, or by a function."""

    near: NearColumns
    distance: OwnDistance

    @property
    def needs_all_rows(self) -> bool:
        return self.distance is not None

    @property
    def looks_at(self) -> tuple[str, ...]:
        return self.near or ()

    def find_context(self, schema: Schema) -> tuple[str, ...]:
        return require_near(self.name, self.looks_at, schema)

    def check(self, data: Microdata) -> None:
        super().check(data)
        check_near(self.name, self.looks_at, data)


BLURRED = 1, 2, 4
"""An intruder who does not know all columns takes so many times k neighbours, in equal parts."""
TIED = 8
"""Where rows are tied, lists are so many times as long."""
MOST_ENTRIES = 20_000_000
"""Longer lists, which hold more of the rows that are tied, are made up to this size."""
DRAWS, FEWEST_DRAWS = 256, 16
"""Of a ball, an intruder takes this many random members; in very large tables fewer."""


def prepare(
    data: Microdata,
    space: Space,
    streams: Streams,
    workers: Workers,
    search: NeighborSearch = EXACT,
) -> Draw:
    """Return what replaces words by donors from the neighbourhoods of `data`: once, unless shared.

    Where rows are those of a cell already, all of them are looked at, whatever the search.
    """
    if space.distance is not None:
        return _prepare_by_function(data, space, workers)
    if data.cache is not None and search.way == EXACT.way:
        key = space.key(data)
        return NeighborCache(data.cache, key, lambda: space.points(data), data.strata, workers).draw
    points = space.points(data)
    way = search if data.reach is None else EXACT
    return lambda rule, words: draw_members(
        DrawTask(points, data.strata, rule, words, streams, workers, data.reach), way
    )


def find_wide_ball(data: Microdata, space: Space, workers: Workers, share: float) -> float:
    """The radius within which a share of the rows has another row."""
    from swapmeet.algorithms.neighbors.search import Rule

    nearest = measure_neighborhoods(data, space, Rule(), workers).nearest
    distances = np.sqrt(nearest[np.isfinite(nearest)])
    return float(np.quantile(distances, share)) if len(distances) else 0.0


def measure_neighborhoods(data: Microdata, space: Space, rule: Rule, workers: Workers) -> Extents:
    """The size of each row's neighbourhood among all rows, its nearest row and farthest member."""
    from swapmeet.algorithms.neighbors.exact_draws import measure_extents, tree_of

    if space.distance is not None:
        from swapmeet.algorithms.neighbors.by_function import measure_by_function

        return measure_by_function(pair_rows(data, space), data.strata, rule, workers)
    require_rows(data.strata, rule.k)
    return measure_extents(tree_of(space.points(data), data.strata), rule, workers)


def pair_rows(data: Microdata, space: Space) -> PairDistances:
    """The rows of `data` and the function that says how far they are apart."""
    from swapmeet.algorithms.neighbors.by_function import PairDistances

    assert space.distance is not None
    return PairDistances(space.distance, space.values(data))


def _prepare_by_function(data: Microdata, space: Space, workers: Workers) -> Draw:
    from swapmeet.algorithms.neighbors.by_function import draw_by_function

    pairs = pair_rows(data, space)
    return lambda rule, words: draw_by_function(pairs, data.strata, rule, words, workers)


def draw_bits(data: Microdata, streams: Streams, workers: Workers) -> Ints:
    """63 random bits for each cell that is masked."""
    words = np.empty((data.own, len(data.variables)), np.int64)

    def some_columns(begin: int, end: int) -> None:
        for column in range(begin, end):
            words[:, column] = streams.random_bits(data.own, "cells", data.names[column])

    workers.each(some_columns, len(data.variables), size=1, label="random numbers")
    return words


def attack_neighborhoods(
    seen: Evidence, space: Space, rule: Rule, stay: Callable[[str], float]
) -> tuple[NeighborShares, ...]:
    """Each value comes from the neighbourhood of the row's person, or stays, by column.

    Who knows some of the columns only has neighbourhoods in these; the true neighbours are in them,
    but not always among the nearest, so that farther rows are also given some weight. Who lacks
    columns that a function of the user's looks at takes the distance of those that are known.
    """
    if not set(space.near) <= {variable.name for variable in seen.people.context}:
        seen = replace(seen, complete=False)
    space = space.within(seen.names)
    if space.distance is not None and not _can_measure(seen, space):
        seen, space = replace(seen, complete=False), replace(space, distance=None)
    lists = _list_members(seen, space, rule)
    doubt = DOUBT if seen.complete else UNSURE
    return tuple(
        NeighborShares((name,), seen.code(name), lists, stay=stay(name), doubt=doubt)
        for name in seen.names
    )


def _can_measure(seen: Evidence, space: Space) -> bool:
    """Return whether a function of the user's has the columns that it looks at."""
    some = np.arange(min(seen.people.n, 2))
    try:
        pair_rows(seen.people, space).measure(some, some)
    except ParameterError as refusal:
        if isinstance(refusal.__cause__, KeyError):
            return False
        raise
    return True


def _list_members(seen: Evidence, space: Space, rule: Rule) -> NeighborLists:
    """The nearest rows of everybody, or random members of balls, which may hold very many."""
    if rule.eps > 0:
        return _draw_list(seen, space, rule)
    widths = [rule.k] if seen.complete else [times * rule.k for times in BLURRED]
    widths = [min(width, seen.people.n - 1) for width in widths]
    who, far = _list_nearest(seen, space, max(widths) + 1)
    longer = TIED * max(widths)
    if longer * len(who) <= MOST_ENTRIES and _are_tied(far, max(widths)):
        who, far = _list_nearest(seen, space, longer)
    weights = np.mean([_share_out(far, width, all_ties=rule.all_ties) for width in widths], axis=0)
    used = weights.any(axis=0)
    return NeighborLists(np.where(weights > 0, who, -1)[:, used], weights[:, used])


def _list_nearest(seen: Evidence, space: Space, length: int) -> tuple[ShortInts, Floats]:
    """The nearest rows of everybody, and their squared distances, infinite where there is none."""
    people = seen.people
    if space.distance is not None:
        from swapmeet.algorithms.neighbors.by_function import list_by_function

        pairs = pair_rows(people, space)
        return list_by_function(pairs, people.strata, min(length, people.n - 1), seen.workers)
    make = lambda: space.points(people)  # noqa: E731
    cache = people.cache or Cache()
    near = NeighborCache(cache, space.key(people), make, people.strata, seen.workers)
    tree, lists = near.list_nearest(min(length, people.n - 1))
    there = np.arange(lists.who.shape[1]) < lists.lengths[:, np.newaxis]
    who, far = np.empty(there.shape, np.int32), np.empty(there.shape)
    who[tree.rows] = np.where(there, lists.who, -1)
    far[tree.rows] = np.where(there, lists.far, np.inf)
    return who[:, :length], far[:, :length]


def _are_tied(far: Floats, width: int) -> bool:
    """Return whether any row has more neighbours as near as the last of its nearest `width`."""
    if far.shape[1] <= width:
        return False
    last, next_ = far[:, width - 1], far[:, width]
    return bool((next_ <= last * (1.0 + TOLERANCE))[np.isfinite(next_)].any())


def _share_out(far: Floats, width: int, *, all_ties: bool) -> Floats:
    """The weights of rows if the nearest `width` are drawn from, and tied ones compete for it."""
    listed = np.isfinite(far)
    last = np.maximum(np.minimum(width, listed.sum(axis=1, keepdims=True)) - 1, 0)
    edge = np.take_along_axis(np.where(listed, far, 0.0), last, axis=1)
    tied = np.abs(far - edge) <= edge * TOLERANCE
    nearer = (far < edge) & ~tied
    room = np.maximum(width - nearer.sum(axis=1, keepdims=True), 1)
    each = (
        1.0 if all_ties else np.minimum(room / np.maximum(tied.sum(axis=1, keepdims=True), 1), 1.0)
    )
    weights = nearer + tied * each
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)


def _draw_list(seen: Evidence, space: Space, rule: Rule) -> NeighborLists:
    draws = max(min(DRAWS, MOST_ENTRIES // seen.people.n), FEWEST_DRAWS)
    words = ATTACK.random_bits(seen.people.n * draws, "members").reshape(-1, draws)
    prepare(replace(seen.people, cache=None), space, ATTACK, seen.workers)(rule, words)
    return NeighborLists.of_draws(words.astype(np.int32))


def attack_chosen(
    seen: Evidence, parts: tuple[NeighborShares, ...], share: float
) -> tuple[Likelihood, ...]:
    """A share of the records was redrawn by the `parts`; of those, lonely ones are empty."""
    one, other = ([v.values for v in data.variables] for data in (seen.people, seen.released))
    empty = np.logical_and.reduce([variable.missing for variable in seen.released.variables])
    lonely = parts[0].lists.lonely
    return (ChosenRows(seen.names, parts, code_both(one, other), share, lonely, empty),)


def require_near(method: str, near: tuple[str, ...], schema: Schema) -> tuple[str, ...]:
    """Columns that count in the distance only: published or dropped, and not masked."""
    problems = []
    for name in near:
        if name not in schema.names:
            problems.append(
                f"{method}: `near`: no column {name!r}{did_you_mean(name, schema.names)}"
            )
        elif schema[name].role.masked:
            problems.append(
                f"{method}: `near`: column {name!r} is masked, and counts in the distance anyway. "
                "Leave it out, or give it the role keep or drop."
            )
    if problems:
        raise SchemaError(problems)
    return near


def check_near(method: str, near: tuple[str, ...], data: Microdata) -> None:
    """Refuse a table that has not all columns that count in the distance."""
    variables = {variable.name: variable for variable in data.context}
    absent = [name for name in near if name not in variables]
    if absent:
        raise SchemaError(
            f"{method}: `near`: {name!r} is not at hand here. A search among methods sees the "
            "published columns only: give it the role keep there, or mask without a search."
            for name in absent
        )
    refuse_infinite({name: variables[name].beyond for name in near})


def note_suppressed(donors: DonorMap, rows: int) -> tuple[str, ...]:
    """Say how many records have no neighbour, if some have none."""
    lonely = int(donors.suppressed.any(axis=1).sum())
    if not lonely:
        return ()
    return (MergeableNote.of(_say_suppressed, {"lonely": sum}, lonely=lonely, rows=rows),)


def _say_suppressed(lonely: int, rows: int) -> str:
    verbs = agree(lonely, "has no neighbour and was", "have no neighbour and were")
    whose = agree(lonely, "its", "their")
    return f"{lonely} of {rows} records {verbs} suppressed; {whose} masked values are missing."


def note_exactness(beyond: int, rows: int) -> tuple[str, ...]:
    """For how many rows cells in space gave the neighbours of the whole table."""
    return (MergeableNote.of(_say_exactness, {"beyond": sum}, beyond=beyond, rows=rows),)


def _say_exactness(beyond: int, rows: int) -> str:
    if not beyond:
        return "neighbours are exact for all rows."
    share = np.floor(1000 * (1 - beyond / rows)) / 10
    return (
        f"neighbours are exact for {share:.1f} % of the rows; the others may have nearer ones "
        "beyond the halo of their cell."
    )


def refuse_beside_function(method: Method, *names: str) -> None:
    """Refuse settings that have no meaning beside a distance function of the user's."""
    usual = {p.name: p.default for p in method.parameters()}
    given = [f"`{name}`" for name in names if getattr(method, name) != usual[name]]
    if given:
        raise ParameterError(
            f"{method.name}: {' and '.join(given)} cannot be given with `distance`: the "
            "function says how far rows are apart, and all rows are compared. Leave out either."
        )
