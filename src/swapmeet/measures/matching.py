"""Checks that rows can be compared one by one, and that the tables confirm whose they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Labels, Rows
from swapmeet.base.quantiles import rank_by_middle
from swapmeet.base.sentences import agree, count
from swapmeet.comparison.comparison import Comparison, Ownership, ownership_of, random_rows
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.sums import JOIN, LEAST, MOST, Sums
from swapmeet.comparison.weights import judge_comparison
from swapmeet.errors import SchemaError, TableError, UsageError, did_you_mean
from swapmeet.release.audit import AuditRecord
from swapmeet.tables.frame import Table, shared_codes
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind, Role, Schema


def require_as_many(before: int, after: int) -> None:
    """Refuse an original and a release of different length."""
    if before != after:
        raise TableError(
            f"the original has {count(before, 'row')} and the release {after:,}. "
            "Compare a release with all of the table it was made of."
        )


def require_in_both(name: str, before: Sequence[str], after: Sequence[str]) -> None:
    """Refuse to match rows by a column that one of the tables lacks."""
    for names, which in ((before, "original"), (after, "release")):
        if name not in names:
            raise UsageError(
                f"match: the {which} has no column {name!r}{did_you_mean(name, names)}"
            )


def not_identifying(name: str) -> TableError:
    """Say that a column does not match each row with one other."""
    return TableError(
        f"match: {name!r} does not tell the rows apart, or does not have the same values in "
        "both tables. Give a column that identifies every row."
    )


UNKNOWN, ROWS = "unknown", "rows"
"""Way to match released rows with original ones, unless by the name of a column."""


def common_columns(before: Table, after: Table, schema: Schema) -> list[Any]:
    """The published columns that both tables have and that can be compared."""
    if len(before) == 0:
        raise TableError("the original has no rows; there is nothing to compare.")
    common = [schema[name] for name in schema.compared if name in after.names]
    problems = [
        f"column {c.name!r} is {c.kind} and holds {after.family(c.name)} in the release. "
        "Read both files in the same way, or drop the column."
        for c in common
        if c.kind is not Kind.NOMINAL and not before.is_ordered(c.name)
        and not after.has_numbers(c.name)
    ]  # fmt: skip
    if problems:
        raise SchemaError(problems)
    if not any(column.role.masked for column in common):
        problem = (
            "original and release have no masked column in common. Compare a release with the "
            "table it was made of, and give at least one column the role key or sensitive."
        )
        raise SchemaError([problem])
    return common


def find_ownership(
    audit: AuditRecord | None, match: str, known: tuple[str, ...], masked: tuple[str, ...]
) -> Ownership:
    """Say how it is known whose rows are released."""
    if audit is not None:
        return ownership_of(audit.owned, known, masked)
    return Ownership.UNKNOWN if match == UNKNOWN else Ownership.CLAIMED


def find_owners(
    before: int,
    after: int,
    audit: AuditRecord | None,
    match: str,
    tables: Callable[[], tuple[Table, Table]],
) -> Rows | None:
    """The released rows in the order of the rows they stand for; None where they are in order.

    `before` and `after` are the numbers of rows; `tables` are read only if a column matches them.
    """
    require_as_many(before, after)
    if audit is not None:
        if len(audit.owner) != before:
            raise TableError(
                f"the audit record has {count(len(audit.owner), 'row')} and the tables have "
                f"{before:,}; it belongs to another release."
            )
        return attribute_rows(audit, np.argsort(audit.owner))
    return None if match in {UNKNOWN, ROWS} else _by_id(*tables(), match)


def attribute_rows(audit: AuditRecord, rows: Rows) -> Rows:
    """For each person the place of their row, by who gave its values; `rows` are the row's places.

    A record that was moved as a whole would otherwise pass for hidden, though it is released as it
    was: it is the row of the person whose record it is.
    """
    return rows[audit.rows_of_people()] if audit.owned else rows


def _by_id(before: Table, after: Table, name: str) -> Rows:
    require_in_both(name, before.names, after.names)
    one, other = shared_codes((before, after), name)
    distinct = np.array_equal(np.sort(one.codes), np.arange(len(before)))
    if not distinct or not np.array_equal(np.sort(other.codes), np.arange(len(before))):
        raise not_identifying(name)
    places = np.empty(len(before), np.int64)
    places[other.codes] = np.arange(len(before))
    return places[one.codes]


def choose_known(known: Iterable[str] | None, columns: list[Any]) -> tuple[str, ...]:
    """The columns an intruder knows: those named, or all masked ones."""
    names = tuple(c.name for c in columns)
    if known is None:
        return tuple(c.name for c in columns if c.role.masked)
    known = tuple(known)
    unknown = [name for name in known if name not in names]
    if unknown or not known:
        raise SchemaError(
            [f"known: {name!r} is not a column of both tables{did_you_mean(name, names)}"
             for name in unknown]
            or ["known: name at least one column that the intruder knows."]
        )  # fmt: skip
    return known


def choose_keys(known: Iterable[str] | None, columns: list[Any]) -> tuple[str, ...]:
    """The columns that the intruder of a verdict knows: those named, the keys, or all masked.

    Where people live is known of them as keys are.
    """
    keys = [column.name for column in columns if column.role in {Role.KEY, Role.PLACE}]
    return tuple(keys) if known is None and keys else choose_known(known, columns)


def list_notes(comparison: Comparison, schema: Schema) -> Iterator[str]:
    """List what a reader of the card should know."""
    yield from comparison.notes
    variables = comparison.original.variables
    absent = [name for name in schema.compared if name not in comparison.original.names]
    if absent:
        yield f"{', '.join(absent)}: not in the release, and not compared."
    weight, judgement = comparison.original.weight, comparison.once(judge_comparison)
    counted = list(comparison.known)
    if weight is not None and judgement is not None:
        yield from judgement.describe(weight.name)
        counted += [weight.name] if judgement.cells else []
    kept = [v.name for v in variables if v.role.kept and v.name not in counted]
    if kept and comparison.level is not Knowledge.EVERYTHING:
        yield (
            f"{', '.join(kept)}: published unmasked, and not counted as known to the intruder. "
            f"If {agree(len(kept), 'it', 'they')} may be known, say so."
        )


UNCHECKED = (
    "The released rows are assumed to be in the order of the original, as stated; no unmasked "
    "column could confirm it."
)
UNRELATED = (
    "Row by row, original and release have no more in common than each row has with those nearby. "
    "If the rows are not in the same order, the figures of risk are far too low: match them by a "
    "column that identifies them. If they are, no value of a person is left in their row."
)
NOT_BORNE_OUT = (
    "released rows are said to be in the order of the original, and nothing in them confirms it"
)
CLOSE = 1e-6
"""Numbers that differ by less, as a share of their size, are the same, read from two formats."""
RUN = 50
"""So many rows that follow each other are compared among themselves."""
PEOPLE = 2_000
"""So many random rows are compared with where they are said to come from."""
DEPENDENT = 3.0
"""So many standard deviations above chance, values of two columns belong together."""


def check_order(comparison: Comparison, match: str) -> tuple[str, ...]:
    """Refuse rows that are not whose they are said to be; what could not be checked is noted."""
    origin = comparison.provenance
    if origin is not None and origin.columns:
        if not origin.certain:
            check_donors(comparison)
    elif comparison.ownership is Ownership.CLAIMED and match == ROWS:
        return check_claim(comparison)
    return ()


def check_claim(comparison: Comparison) -> tuple[str, ...]:
    """Refuse the claim that rows are in the same order where a kept column contradicts it."""
    kept = [v.name for v in comparison.original.variables if v.role.kept]
    differences = (
        comparison.gather(lambda piece: KeptColumns.of(piece, kept), kept) if kept else None
    )
    wrong = (
        differences.count_contradictions(comparison.n)
        if differences is not None
        else np.zeros(0, np.int64)
    )
    if wrong.any():
        worst = int(np.argmax(wrong))
        raise TableError(
            f"match: rows are not in the same order: {kept[worst]!r} was kept, and differs in "
            f"{wrong[worst]} of {comparison.n} rows. Match rows by a column that identifies "
            "them, or give the audit record; if the column was masked, give it the role key."
        )
    if differences is not None and (differences.least < differences.most).any():
        return ()
    return (UNCHECKED,) if _is_related(comparison) else (UNCHECKED, UNRELATED)


def _unite_all(some: tuple[Labels, ...], others: tuple[Labels, ...]) -> tuple[Labels, ...]:
    return tuple(np.union1d(one, more) for one, more in zip(some, others, strict=True))


@dataclass(frozen=True, repr=False, eq=False)
class KeptColumns(Sums):
    """In how many rows kept columns differ, which levels met, and least and largest values."""

    differ: Labels
    met: tuple[Labels, ...] = field(metadata={JOIN: _unite_all})
    least: Floats = field(metadata=LEAST)
    most: Floats = field(metadata=MOST)

    @classmethod
    def of(cls, piece: Comparison, names: list[str]) -> KeptColumns:
        """Look at some rows."""
        one, other = piece.original, piece.released
        differ = [(~find_agreeing(one[name], other[name])).sum() for name in names]
        values = [np.nan_to_num(one[name].values.astype(np.float64), nan=-np.inf) for name in names]
        return cls(
            np.array(differ, np.int64),
            tuple(pair_levels(one[name], other[name]) for name in names),
            np.array([column.min(initial=np.inf) for column in values]),
            np.array([column.max(initial=-np.inf) for column in values]),
        )

    def count_contradictions(self, n: int) -> Labels:
        """In how many rows each column differs; in none where levels only go by other names."""
        renamed = np.array([are_renamed(met, n) for met in self.met], bool)
        return np.where(renamed, 0, self.differ)


def pair_levels(one: Variable, other: Variable) -> Labels:
    """Flag the levels of two columns that met in some row; of columns with numbers, none."""
    if one.kind is not Kind.NOMINAL:
        return np.empty(0, np.int64)
    return np.unique(one.values.astype(np.int64) << 32 | (other.values.astype(np.int64) + 1))


def are_renamed(met: Labels, n: int) -> bool:
    """Return whether each of a few levels pairs with one other, as after trimming or recoding."""
    return 0 < 5 * len(met) <= n and len(np.unique(met >> 32)) == len(met)


def find_agreeing(one: Variable, other: Variable) -> Flags:
    """Rows that have the same value in both columns; numbers may differ in their last digits."""
    if one.kind is Kind.NOMINAL:
        return one.values == other.values
    with np.errstate(over="ignore"):
        return np.isclose(one.values, other.values, rtol=CLOSE, atol=0.0, equal_nan=True)


def check_donors(comparison: Comparison) -> None:
    """Refuse an original that does not have the values which the record says it gave.

    Random rows are looked at. A column or two may have been recoded since; if most columns that
    could show it disagree, then rows are not where the record says they are.
    """
    looked = min(comparison.n, PEOPLE)
    wrong = list(_count_wrong_copies(comparison, looked))
    contradicting = [count for count in wrong if count]
    if 2 * len(contradicting) > len(wrong):
        raise TableError(
            f"original, release and audit record do not belong together: {len(contradicting)} of "
            f"{len(wrong)} columns do not hold what the record says was copied from the original "
            f"(in up to {max(contradicting)} of {looked} rows looked at). Give the table that was "
            "masked, with its rows in the same order, and the record written with this release."
        )


def _count_wrong_copies(comparison: Comparison, looked: int) -> Iterator[int]:
    """For each column that can show it, how many copies are not of the row they came from."""
    origin = comparison.provenance
    assert origin is not None
    people = random_rows(comparison.streams.stream("donors"), comparison.n, looked)
    donors = origin.donors[people]
    rows = np.unique(np.concatenate([people, donors[donors >= 0]]))
    picked = comparison.sample(rows)
    places, givers = np.searchsorted(rows, people), np.searchsorted(rows, donors)
    for j, name in enumerate(origin.columns):
        if name in picked.original.names:
            copied = donors[:, j] >= 0
            given = _take(picked.original[name], givers[copied, j])
            if _varies(given):
                values = _take(picked.released[name], places[copied])
                renamed = are_renamed(pair_levels(given, values), len(given.values))
                yield 0 if renamed else int((~find_agreeing(given, values)).sum())


def _take(variable: Variable, rows: Labels) -> Variable:
    return replace(variable, values=variable.values[rows])


def _varies(variable: Variable) -> bool:
    first = _take(variable, np.zeros(len(variable.values), np.int64))
    return not bool(find_agreeing(variable, first).all())


def _is_related(comparison: Comparison) -> bool:
    """Return whether some column has more in common with itself than with the rows nearby.

    Runs of rows that follow each other are looked at, since two sorted files have much in common.
    """
    n, length = comparison.n, min(comparison.n, RUN)
    stream = comparison.streams.stream("order")
    runs = random_rows(stream, n // length, min(n // length, PEOPLE // RUN))
    rows = (runs[:, np.newaxis] * length + np.arange(length)).ravel()
    some, run = comparison.sample(rows), np.repeat(np.arange(len(runs)), length)
    pairs = [(some.original[name], some.released[name]) for name in some.original.names]
    return any(measure_dependence(one, other, run) > DEPENDENT for one, other in pairs)


TINY = 1e-9


def measure_dependence(one: Variable, other: Variable, run: Labels) -> float:
    """Measure how far two columns agree beyond chance, in standard deviations of a random order.

    The order is random inside each run. Levels agree in so many rows; numbers by the correlation
    of their ranks.
    """
    present = ~(one.missing | other.missing)
    first, second, run = one.values[present], other.values[present], run[present]
    if not len(first):
        return 0.0
    if one.kind is Kind.NOMINAL:
        return _compare_levels(first, second, run)
    return _correlate_ranks(first, second, run)


def _compare_levels(first: Labels, second: Labels, run: Labels) -> float:
    """Judge by the mean and the variance of agreements over all permutations (Hoeffding 1951)."""
    codes = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
    cells = (int(run.max()) + 1, int(codes.max()) + 1)
    a, b = (
        np.bincount(run * cells[1] + part, minlength=cells[0] * cells[1]).reshape(cells)
        for part in np.split(codes, 2)
    )
    n, both = np.maximum(a.sum(axis=1), 1), (a * b).sum(axis=1)
    spread = both - (a * b * (a + b)).sum(axis=1) / n + (both / n) ** 2
    beyond = np.count_nonzero(first == second) - (both / n).sum()
    return _standardize(float(beyond), np.asarray(spread, np.float64), n)


def _correlate_ranks(first: Floats, second: Floats, run: Labels) -> float:
    n = np.maximum(np.bincount(run), 1)
    one, other = (_centre(rank_by_middle(values), run, n) for values in (first, second))
    spread = np.bincount(run, one**2) * np.bincount(run, other**2)
    return _standardize(float(one @ other), np.asarray(spread, np.float64), n)


def _centre(ranks: Floats, run: Labels, n: Labels) -> Floats:
    return np.asarray(ranks - (np.bincount(run, ranks) / n)[run])


def _standardize(beyond: float, spread: Floats, n: Labels) -> float:
    """In standard deviations; 0 where most runs have one value, as in a column that was sorted."""
    variances = np.where(n > 1, spread / np.maximum(n - 1, 1), 0.0)
    telling = variances > TINY
    if 2 * np.count_nonzero(telling) < len(n):
        return 0.0
    return beyond / float(np.sqrt(variances.sum()))
