"""Methods that know nothing of units, on tables that have some: one run per level.

What is the same for all members of a household moves once, from household to household; what
differs between them moves from person to person, or from row to row. In the latter run a method
sees the columns of households, too, so that people trade with people in similar households; what it
does to them there does not count.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from swapmeet.base.sentences import count, join_names
from swapmeet.engines.whole_households import run_whole
from swapmeet.errors import InputError, TableError
from swapmeet.methods import Method, PerColumn
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.schema import Column
from swapmeet.tables.units import ROW, DividedStrata, Level, divide_strata, find_levels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.seeds import Seed
    from swapmeet.tables.microdata import Microdata

    Run = Callable[[Method, Microdata, Seed], Outcome]
    """What runs a method on a table without units."""

SHOWN = 5
"""Of more positions than these, notes tell the extremes."""


def run_by_level(method: Method, data: Microdata, seed: Seed, run: Run) -> Outcome:
    """Mask a table; where rows belong to units, level by level."""
    if stands_alone(method, data):
        return run(method, data, seed)
    data.require_names(method.named_columns, method.name)
    if parts := split_parts(method):
        moving, others = parts
        one, other = run(moving, data, seed), run_by_level(others, data, seed, run)
        return merge_parts(data, moving, one, other)
    levels = find_levels(data)
    if not data.whole:
        return _run_levels(method, levels, data, seed, run)

    def run_some(rows: Ints) -> Outcome:
        return _run_levels(method, [one.take(rows) for one in levels], data.take(rows), seed, run)

    return run_whole(method, data, seed, run, run_some)


def _run_levels(
    method: Method, levels: list[Level], data: Microdata, seed: Seed, run: Run
) -> Outcome:
    done = {
        level: _run_level(restricted, level, data, seed.derive("level", level.name), run)
        for level in levels
        if (restricted := _restrict(method, level, data)) is not None
    }
    if not done:
        raise TableError(_say_nothing_masked(method, levels))
    return LevelMerger(method, data, levels, done).outcome()


def check_by_level(method: Method, data: Microdata) -> None:
    """Refuse, before any work, what the method cannot mask at some level."""
    if stands_alone(method, data):
        method.check(data)
        return
    data.require_names(method.named_columns, method.name)
    if parts := split_parts(method):
        for part in parts:
            check_by_level(part, data)
        return
    for level in find_levels(data):
        restricted = _restrict(method, level, data)
        if restricted is not None:
            with _naming(level, data):
                restricted.check(_divide(restricted, level.reduce(data))[0])


def stands_alone(method: Method, data: Microdata) -> bool:
    """Return whether the method may run on the table as it is."""
    return method.moves_units or (data.household is None and data.person is None)


@dataclass(frozen=True, repr=False, eq=False)
class LevelMerger:
    """The outcomes of levels, which make one of all rows and columns."""

    method: Method
    data: Microdata
    levels: list[Level]
    parts: dict[Level, Outcome]

    def __repr__(self) -> str:
        return f"<LevelMerger of {len(self.parts)} levels>"

    def outcome(self) -> Outcome:
        """One outcome; columns of levels that the method leaves alone stay in place."""
        donors = DonorMap.identity(self.data.n, len(self.data.variables)).matrix
        made: dict[str, Floats] = {}
        stuck: dict[str, Ints] = {}
        for level, part in self.parts.items():
            columns = [name for name in self.data.names if name in (*level.columns, *level.coarser)]
            for name in level.columns:
                given = part.donors.matrix[:, columns.index(name)]
                donors[:, self.data.names.index(name)] = level.spread(given)
            made |= {
                n: _spread_values(level, v) for n, v in part.made.items() if n in level.columns
            }
            stuck |= {n: level.list_rows(u) for n, u in part.stuck.items() if n in level.columns}
        return Outcome(DonorMap(donors), made, stuck, self._list_facts(), self._list_notes())

    def _list_facts(self) -> tuple[str, ...]:
        """Record of what moved at which level, and the facts of the only level there is.

        Of several, none speaks of all columns of a row, as the facts of a method do.
        """
        said = "; ".join(_describe(level) for level in self.parts)
        if len(self.parts) > 1 or len(self.levels) > 1:
            return (f"{said}.",)
        ((level, part),) = self.parts.items()
        return (f"{said}.", *(f"{_begin(level)}{fact}" for fact in part.facts))

    def _list_notes(self) -> tuple[str, ...]:
        left = [level for level in self.levels if level not in self.parts]
        return (
            *(f"{_begin(level)}{n}" for level, part in self.parts.items() for n in part.notes),
            *(
                f"{self.method.name} masks none of {join_names(level.columns)}, which belong to "
                f"{level.things}: they stay as they are. Mask them by another method (per-column)."
                for level in left
            ),
        )


def _restrict(method: Method, level: Level, data: Microdata) -> Method | None:
    """The method as it masks the columns of a level; None where it leaves them alone."""
    try:
        restricted = method.restrict(_list_seen(method, level))
    except InputError as error:
        raise TableError(_name_level(level, data, str(error))) from error
    variables = [data[name] for name in level.columns]
    some = restricted is not None and any(
        restricted.masks(Column(v.name, v.kind, v.role)) for v in variables
    )
    return restricted if some else None


def _list_seen(method: Method, level: Level) -> list[str]:
    """The columns that a method sees at a level: of one that combines others, no idle parts."""
    seen = [*level.columns, *level.coarser]
    parts = [set(names) for _, names in method.submethods if set(names) & set(level.columns)]
    return [n for n in seen if not parts or any(n in names for names in parts)]


def _run_level(method: Method, level: Level, data: Microdata, seed: Seed, run: Run) -> Outcome:
    """Mask one row per unit."""
    with _naming(level, data):
        part, divided = _divide(method, level.reduce(data))
        outcome = run(method, part, seed)
        return replace(outcome, notes=(*_say_joined(method, level, divided), *outcome.notes))


def _divide(method: Method, data: Microdata) -> tuple[Microdata, DividedStrata | None]:
    """The data of a level, whose strata are divided by the positions that it has.

    Of positions, those that are too small for the method are joined; strata never are.
    """
    if data.position is None:
        return data, None
    divided = divide_strata(data.strata, data.position, method.fewest_rows(data))
    return replace(data, strata=divided.labels, position=None), divided


def _say_joined(method: Method, level: Level, divided: DividedStrata | None) -> Iterator[str]:
    if divided is None or not divided.small:
        return
    small, joined = len(divided.small), divided.joined
    have, were = ("has", "It was") if small == 1 else ("have", "They were")
    yield (
        f"{small} of {divided.apart} positions in the household {have} too few {level.things} for "
        f"{method.name} ({_list_sizes(divided.small)}). {were} joined with the next larger, until "
        f"there were enough: in {count(len(joined), 'group')} of {_list_sizes(joined)} "
        f"{level.things}, values also move from one position to another."
    )


def _list_sizes(sizes: Sequence[int]) -> str:
    """Sizes in order; of many, the least and the largest."""
    if len(sizes) > SHOWN:
        return f"{min(sizes):,} to {max(sizes):,}, {sum(sizes):,} in all"
    return join_names(f"{size:,}" for size in sorted(sizes))


@contextmanager
def _naming(level: Level, data: Microdata) -> Iterator[None]:
    """Say of what is refused at which level."""
    try:
        yield
    except InputError as error:
        raise TableError(_name_level(level, data, str(error))) from error


def _spread_values(level: Level, values: Floats) -> Floats:
    return values if level.units is None else values[level.units.of_row]


def _begin(level: Level) -> str:
    """Begin sentences about a level."""
    return "" if level.units is None else f"{level.things.capitalize()}, one row each: "


def _describe(level: Level) -> str:
    verb = "moves" if len(level.columns) == 1 else "move"
    if level.name == ROW:
        return f"{join_names(level.columns)} {verb} row by row"
    assert level.units is not None
    return (
        f"{join_names(level.columns)} {verb} once per {level.name} ({level.units.count:,} of them)"
    )


def _name_level(level: Level, data: Microdata, message: str) -> str:
    columns = join_names(level.columns)
    rows = f"{data.n:,} rows"
    what = f"one row for each of {level.units.count:,} {level.things}" if level.units else rows
    remedy = " Or mask them by another method (per-column), or give them the role keep."
    leave = "" if "per-column" in message else remedy
    if level.has_positions and data.position is not None:
        what += ", in which each position in the household is a stratum"
        leave += " Or let values move between positions: leave out --position (`position`)."
    return (
        f"{columns} (level of {level.things}) are masked as a table of their own, {what}: "
        f"{message}{leave}"
    )


def _say_nothing_masked(method: Method, levels: list[Level]) -> str:
    where = "; ".join(f"{level.things}: {join_names(level.columns)}" for level in levels)
    return (
        f"{method.name}: at no level is there a column that it masks ({where}). Choose another "
        "method, or other roles."
    )


def split_parts(method: Method) -> tuple[PerColumn, PerColumn] | None:
    """The parts that move units by themselves, and the others; None unless there are both."""
    if not isinstance(method, PerColumn):
        return None
    moving = tuple(part for part in method.parts if part[0].moves_units)
    others = tuple(part for part in method.parts if not part[0].moves_units)
    if not moving or not others:
        return None
    return replace(method, parts=moving), replace(method, parts=others)


def merge_parts(data: Microdata, moving: PerColumn, one: Outcome, other: Outcome) -> Outcome:
    """One outcome: the columns of the `moving` parts from the one, all else from the other."""
    named = [name for _, names in moving.parts for name in names]
    at = [data.names.index(name) for name in named]
    donors = other.donors.matrix.copy()
    donors[:, at] = one.donors.matrix[:, at]
    return Outcome(
        DonorMap(donors),
        {**other.made, **one.made},
        {**other.stuck, **one.stuck},
        (*one.facts, *other.facts),
        (*one.notes, *other.notes),
    )
