"""Columns that follow from another: age groups from ages, labels from codes, copies; and all ties.

That rows which agree in one column agree in another says something only where many rows agree in
the first, and where they would hardly do so in the second by chance. Where the first holds numbers
or dates, it also does if the values of the second are intervals of it. A few rows may be exceptions
where the others leave little doubt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from math import log

import numpy as np

from swapmeet.base.arrays import Rows
from swapmeet.base.sentences import count
from swapmeet.errors import SwapmeetError
from swapmeet.tables.conditions import Condition
from swapmeet.ties.finding import ColumnView, Finding, Tie, write_derivation, write_together
from swapmeet.ties.ratios import find_ratios
from swapmeet.ties.sums import find_sums, write_name

SURE = 25.0
"""Chance would bring about such agreement less often than exp(-25)."""
REPEATS = 3.0
"""Rows with the same value in the first column, on average, at the least."""
FEWER = 0.8
"""A grouping has fewer values than this share of those it groups."""
GROUPS = 100
"""Intervals of numbers are no more than these."""
ROWS_PER_GROUP = 10
NEARLY = 0.97
"""Of the rows that could, at least this share obeys what has exceptions."""
FEWER_LEFT = 0.1
"""Of the rows that the commonest value would get wrong, exceptions are at most this share."""
CANDIDATES = 0.15
"""Rows that differ from the last one with the same value, where it is worth while to count."""
NEAR_REPEATS = 5.0
"""The same where there are exceptions."""
MOST_COLUMNS = 400
"""Of more columns only the first are compared with each other."""


@dataclass(frozen=True)
class Dependency:
    """That `of` follows from `on` in so many rows; both from each other if `mutual`."""

    on: str
    of: str
    rows: int
    mutual: bool = False

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:
        """The rows that have what most original rows with the same value have, of those with both.

        A number that is none of the original's counts as the nearest below.
        """
        before, after = original.codes(self.on).astype(np.int64), original.codes(self.of)
        room = original.room(self.of)
        pairs, counts = np.unique(before * room + after, return_counts=True)
        usual = np.zeros(original.room(self.on), np.int64)
        order = np.argsort(counts, kind="stable")
        usual[pairs[order] // room] = pairs[order] % room
        on, of = columns.nearest_codes(self.on), columns.codes(self.of)
        there = (on > 0) & (of != 0)
        return int((usual[on] == of)[there].sum()), int(there.sum())


def find_dependencies(
    columns: ColumnView, leave_out: Collection[str], household: str | None
) -> Iterator[Finding]:
    """Each column with all that follows from it."""
    earlier: set[str] = set()
    dependencies = list_dependencies(columns, leave_out, household)
    for on in sorted(
        dict.fromkeys(one.on for one in dependencies), key=lambda name: -columns.distinct(name)
    ):
        members = [one for one in dependencies if one.on == on and one.of not in earlier]
        if not members:
            continue
        names = (on, *(one.of for one in members))
        earlier.update(names)
        fewest = min(one.rows for one in members)
        yield Finding(
            about="hold the same information"
            if all(m.mutual for m in members)
            else _tell(on, members),
            columns=names,
            reason=_count_exceptions(columns, members),
            rows=fewest,
            options=write_together(names),
            ties=tuple(Tie(f"{one.of} follows from {one.on}", one) for one in members),
        )


def _count_exceptions(columns: ColumnView, members: list[Dependency]) -> str:
    total = f"{columns.rows:,}"
    less = [one for one in members if one.rows < columns.rows]
    if not less:
        return f"in all {total} rows"
    if len(members) == 1:
        return f"in {less[0].rows:,} of {total} rows"
    each = ", ".join(f"{one.of} in {one.rows:,}" for one in less)
    return f"{each} of {total} rows"


def list_dependencies(
    columns: ColumnView, leave_out: Collection[str], household: str | None
) -> list[Dependency]:
    """List the masked columns that follow from another one."""
    names = [
        name
        for name in columns.names
        if name not in leave_out and columns.is_masked(name) and columns.distinct(name) > 1
    ][:MOST_COLUMNS]
    homes = _Homes(columns, household)
    pairs = ((on, of) for on in names for of in names if on != of)
    counts = {pair: rows for pair in pairs if (rows := _follow(columns, *pair, homes))}
    return [
        Dependency(on, of, rows, mutual=(of, on) in counts) for (on, of), rows in counts.items()
    ]


class _Homes:
    """One row of each household, for columns that are the same for all its members."""

    def __init__(self, columns: ColumnView, household: str | None) -> None:
        self._columns, self._household = columns, household
        self._known: dict[str, bool] = {}
        everyone = np.arange(columns.rows)
        self._all = everyone
        self._first = everyone
        if household is not None:
            self._first = np.unique(columns.codes(household), return_index=True)[1]

    def rows(self, name: str) -> Rows:
        """The rows that tell something of a column: of those who share it, one."""
        if self._household is None or self._household == name:
            return self._all
        if name not in self._known:
            self._known[name] = self._columns.determines(self._household, name)
        return self._first if self._known[name] else self._all


def _follow(columns: ColumnView, on: str, of: str, homes: _Homes) -> int:
    """In how many rows one column follows from another; 0 where that says nothing."""
    if columns.distinct(of) > columns.distinct(on):
        return 0
    sample = columns.sample
    off = columns.count_exceptions(on, of, sample)
    if off > CANDIDATES * len(sample):
        return 0
    rows = homes.rows(on)
    if not off:
        follows = (_is_telling if _repeats(columns, on, rows) else _is_grouping)(
            columns, on, of, rows
        )
        if follows and columns.determines(on, of):
            return columns.rows
    return _nearly_follow(columns, on, of, rows)


def _nearly_follow(columns: ColumnView, on: str, of: str, rows: Rows) -> int:
    """In how many rows one column follows from another if not in all; 0 where it says nothing."""
    if len(rows) < NEAR_REPEATS * columns.distinct(on):
        return 0
    commonest = int(np.bincount(columns.codes(of)[rows]).max())
    for looked_at in (columns.sample, rows):
        most = commonest if looked_at is rows else len(looked_at) * commonest / len(rows)
        off = len(looked_at) - columns.count_followers(on, of, looked_at)
        if off > min((1.0 - NEARLY) * len(looked_at), FEWER_LEFT * (len(looked_at) - most)):
            return 0
    return columns.count_followers(on, of)


def _repeats(columns: ColumnView, on: str, rows: Rows) -> bool:
    return len(rows) >= REPEATS * columns.distinct(on)


def _is_telling(columns: ColumnView, on: str, of: str, rows: Rows) -> bool:
    """Return whether agreement in all rows would be no chance."""
    levels = columns.distinct(on)
    shares = np.bincount(columns.codes(of)[rows]) / len(rows)
    agreement = float((shares**2).sum())
    same = columns.distinct(of) == levels
    fewer = same or columns.distinct(of) <= FEWER * levels or levels <= GROUPS
    return fewer and agreement < 1.0 and (len(rows) - levels) * -log(agreement) > SURE


def _is_grouping(columns: ColumnView, on: str, of: str, rows: Rows) -> bool:
    """Return whether the values of one column are intervals of the other, which is in order."""
    groups = columns.distinct(of) + bool(columns.missing(of))
    few = 2 <= groups <= GROUPS and groups * ROWS_PER_GROUP <= len(rows)
    is_ordered = columns.has_numbers(on) or columns.has_dates(on)
    if not few or not is_ordered or columns.missing(on):
        return False
    for looked_at in (columns.sample, rows):
        order = np.argsort(columns.numbers(on)[looked_at], kind="stable")
        along = columns.codes(of)[looked_at][order]
        if np.count_nonzero(np.diff(along)) + 1 > groups:
            return False
    return True


def _tell(on: str, members: list[Dependency]) -> str:
    others = [one.of for one in members]
    listed = others[0] if len(others) == 1 else count(len(others), "column")
    return f"{listed} follow{'s' if len(others) == 1 else ''} from {on}"


FEWEST = 20
"""Fewer rows with both dates tell nothing."""
NEARLY_IN_ORDER = 0.98
"""An order holds in at least this share of the rows."""
BY_CHANCE = 0.9
"""Dates of different rows are in order less often than this."""
CLOSE = 0.5
"""What lies between two dates varies less than the later one, by this factor: it can be masked in
its place."""
MOST_DATES = 40


@dataclass(frozen=True)
class Order:
    """That one date is not after another."""

    first: str
    second: str

    def count(self, columns: ColumnView, original: ColumnView) -> tuple[int, int]:  # noqa: ARG002
        """The rows in order, of those that have both."""
        one, two = columns.quantities(self.first), columns.quantities(self.second)
        there = np.isfinite(one) & np.isfinite(two)
        return int((one <= two)[there].sum()), int(there.sum())


def find_orders(columns: ColumnView, leave_out: Collection[str]) -> Iterator[Finding]:
    """Pairs of dates in the same order in nearly all rows; not those that follow from others."""
    names = columns.list_dates(leave_out)[:MOST_DATES]
    held = {
        pair: counts
        for pair in permutations(names, 2)
        if (counts := _count_rows(columns, *pair)) is not None
    }
    later: set[str] = set()
    for (first, second), (rows, tried) in held.items():
        between = any((first, name) in held and (name, second) in held for name in names)
        if not between:
            options = _choose_option(columns, first, second, later, complete=rows == tried)
            later |= {second} if options[:1] == ("--derive",) else set()
            yield Finding(
                about=f"{second} is not before {first}",
                columns=(second, first),
                reason=f"in all {tried:,} rows that have both"
                if rows == tried
                else f"in {rows:,} of {tried:,} rows",
                rows=rows,
                options=options,
                ties=(Tie(f"{write_name(first)} <= {write_name(second)}", Order(first, second)),),
            )


def _count_rows(columns: ColumnView, first: str, second: str) -> tuple[int, int] | None:
    """The rows in order, and those that have both dates; None where that is nothing special."""
    for rows in (columns.sample, np.arange(columns.rows)):
        one, two = columns.quantities(first)[rows], columns.quantities(second)[rows]
        there = np.isfinite(one) & np.isfinite(two)
        one, two = one[there], two[there]
        held = int((one <= two).sum())
        if len(one) < FEWEST or held < NEARLY_IN_ORDER * len(one):
            return None
    by_chance = np.searchsorted(np.sort(one), two, side="right").mean() / len(one)
    return (held, len(one)) if by_chance < BY_CHANCE and (one < two).any() else None


def _choose_option(
    columns: ColumnView, first: str, second: str, later: set[str], *, complete: bool
) -> tuple[str, ...]:
    """Choose between masking the time in between instead of the later date, and a rule."""
    one, two = columns.quantities(first), columns.quantities(second)
    is_close = np.nanstd(two - one) < CLOSE * np.nanstd(two)
    if is_close and second not in later and columns.can_have_rest(second):
        text = f"{write_name(second)} = {write_name(first)}"
        return write_derivation(text, [first, second], nearly=True, beside=columns.all_names)
    rule = _write_rule(first, second) if complete else ()
    return ("--rule", *rule) if rule else ()


def _write_rule(first: str, second: str) -> tuple[str, ...]:
    text = f"{write_name(first)} <= {write_name(second)}"
    try:
        return (text,) if set(Condition(text).columns) == {first, second} else ()
    except SwapmeetError:
        return ()


FEWEST = 20
"""Of a table with fewer rows nothing is proposed: what holds in all of them may be chance."""


def find_ties(
    columns: ColumnView, leave_out: set[str], births: set[str], household: str | None
) -> list[Finding]:
    """Columns that follow from others, and dates in order; each column follows only once.

    Dates of birth are recoded first: only what moves as one with them agrees with them then.
    """
    findings: list[Finding] = []
    for find in (find_sums, find_ratios, find_orders):
        computed = {one.columns[0] for one in findings if one.options}
        findings += find(columns, leave_out | births | computed)
    return [*findings, *find_dependencies(columns, leave_out | _list_computed(findings), household)]


def _list_computed(ties: Iterable[Finding]) -> set[str]:
    return {one.columns[0] for one in ties if "--derive" in one.options}
