"""Question of an intruder: what they try to guess, and what, or which parts of it, they know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.table_size import WIDE
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind, Role

MOST_SECRETS = 10
"""So many columns of a wide table are guessed; who names the sensitive ones has these guessed."""
NEAR = 0.05
"""A number is guessed if it is this near, in standard deviations of its column."""
FEW_VALUES = 20
"""Of a column with no more values than this, the very value has to be guessed."""
MOVED_AS_ONE = 0.5
"""Two columns moved as one if more than this share of rows got both cells from one person."""


@dataclass(frozen=True, kw_only=True)
class GuessTask:
    """A column to guess, the columns that the intruder looks at, and how near a guess must be."""

    secret: str
    known: tuple[str, ...]
    tolerance: float


def list_questions(comparison: Comparison, level: Knowledge) -> tuple[GuessTask, ...]:
    """For each column that is to be guessed: by all that is known, and by parts of it.

    Parts are the columns that moved together with it, and the keys: who knows more may leave
    columns aside.
    """
    secrets = [
        GuessTask(secret=secret, known=names, tolerance=find_tolerance(comparison.original[secret]))
        for secret in list_secrets(comparison)
        for names in _list_sets(comparison, secret, level)
    ]
    if not secrets:
        raise Undefined("there is no column to guess another one from")
    return tuple(secrets)


def list_secrets(comparison: Comparison) -> tuple[str, ...]:
    """The columns to guess; of a wide table some of them, at random."""
    secrets = comparison.once(list_all_secrets)
    if len(secrets) <= WIDE:
        return secrets
    stream = comparison.streams.stream("inference", "secrets")
    chosen = stream.choice(len(secrets), MOST_SECRETS, replace=False, shuffle=False)
    return tuple(secrets[at] for at in np.sort(chosen))


def list_all_secrets(comparison: Comparison) -> tuple[str, ...]:
    """The sensitive columns, or each masked one; those that vary."""
    variables = [comparison.original[name] for name in comparison.masked_directly]
    sensitive = [v for v in comparison.original.variables if v.role is Role.SENSITIVE]
    secrets = [v.name for v in sensitive or variables if _varies(v)]
    if not secrets:
        raise Undefined("no column that could be guessed has values that vary")
    return tuple(secrets)


def list_known(comparison: Comparison, secret: str, level: Knowledge) -> tuple[str, ...]:
    """Return what the intruder knows: the keys, or every published column; never the secret."""
    everything = level is Knowledge.EVERYTHING
    names = comparison.original.names if everything else comparison.keys or comparison.known
    return tuple(name for name in names if name != secret)


def find_tolerance(variable: Variable) -> float:
    """Return how far a right guess may be off: 0 for categories and columns with few values."""
    if variable.kind is not Kind.NUMERIC:
        return 0.0
    present = variable.values[np.isfinite(variable.values)]
    if len(np.unique(present)) <= FEW_VALUES:
        return 0.0
    largest = float(np.abs(present).max())
    return NEAR * largest * float((present / largest).std())


def to_numbers(variable: Variable) -> Floats:
    """Values or codes as numbers, NaN where missing."""
    return np.where(variable.missing, np.nan, variable.values.astype(np.float64))


def _list_sets(comparison: Comparison, secret: str, level: Knowledge) -> list[tuple[str, ...]]:
    known = list_known(comparison, secret, level)
    keys = list_known(comparison, secret, Knowledge.KEYS)
    partners = tuple(name for name in known if _moved_as_one(comparison, name, secret))
    return [names for names in dict.fromkeys([known, keys, partners]) if names]


def _moved_as_one(comparison: Comparison, one: str, other: str) -> bool:
    provenance = comparison.provenance
    if provenance is None or not {one, other} <= set(provenance.columns):
        return False
    first, second = (provenance.donors[:, provenance.columns.index(name)] for name in (one, other))
    return bool(((first == second) & (first >= 0)).mean() > MOVED_AS_ONE)


def _varies(variable: Variable) -> bool:
    present = variable.values[~variable.missing]
    return len(present) > 0 and bool((present != present[0]).any())


SPLITS = 3
"""So often the known columns are cut in two at random; each half is looked at alone."""
FEWEST_COLUMNS = 4
"""Fewer known columns than this are not cut."""
USUAL = 2.0
"""Partners are together in more rows than so many times those of the median pair of columns,"""
CLEARLY = 4.0
"""by so many standard deviations."""
MOST_PARTNERS = 12
"""So many secrets are asked by their partners, those first who have the closest ones."""

Names = tuple[str, ...]


def list_parts(comparison: Comparison, level: Knowledge) -> tuple[GuessTask, ...]:
    """For each column to be guessed: by random halves of the masked columns that are known, and by
    the columns whose cells come from the same person more often than is usual in this release.

    A row that holds as much of a person as a method allows does not hold the one thing that is
    asked. Who looks at half of what they know finds rows with room for more.
    """
    secrets = list_secrets(comparison)
    known = {secret: _list_masked(comparison, secret, level) for secret in secrets}
    pairs = dict.fromkeys([*_list_halves(comparison, known), *_list_partners(comparison, known)])
    near = {secret: find_tolerance(comparison.original[secret]) for secret in secrets}
    return tuple(
        GuessTask(secret=secret, known=names, tolerance=near[secret])
        for secret, names in pairs
        if len(names) < len(list_known(comparison, secret, level))
    )


def _list_masked(comparison: Comparison, secret: str, level: Knowledge) -> Names:
    known = list_known(comparison, secret, level)
    return tuple(name for name in known if name in comparison.masked_directly)


def _list_halves(comparison: Comparison, known: dict[str, Names]) -> Iterator[tuple[str, Names]]:
    """Secrets share halves, and each is asked by those that do not have it."""
    columns = list(dict.fromkeys(name for names in known.values() for name in names))
    if len(columns) < FEWEST_COLUMNS:
        return
    stream = comparison.streams.stream("inference", "halves")
    for _ in range(SPLITS):
        for half in np.array_split(stream.permutation(len(columns)), 2):
            names = tuple(columns[j] for j in np.sort(half))
            yield from ((secret, names) for secret in known if set(names) <= set(known[secret]))


def _list_partners(comparison: Comparison, known: dict[str, Names]) -> Iterator[tuple[str, Names]]:
    """The nearest partner of a secret, and all of them."""
    if comparison.provenance is None:
        return
    shares = find_partners(comparison.provenance, known)
    partners = {
        secret: sorted((n for n in names if frozenset((secret, n)) in shares),
                       key=lambda name: -shares[frozenset((secret, name))])
        for secret, names in known.items()
    }  # fmt: skip
    partners = {secret: names for secret, names in partners.items() if names}
    closest = sorted(partners, key=lambda secret: -shares[frozenset((secret, partners[secret][0]))])
    for secret in closest[:MOST_PARTNERS]:
        yield secret, (partners[secret][0],)
        yield secret, tuple(name for name in known[secret] if name in partners[secret])


def find_partners(
    provenance: Provenance, secrets: Iterable[str] | None = None
) -> dict[frozenset[str], float]:
    """Pairs of columns whose cells come from one person clearly more often than usual, and how
    often: in more than twice as many rows as those of the median pair.

    In a wide table, pairs are those with one of the `secrets`.
    """
    n, counts = len(provenance.donors), {}
    donors = dict(zip(provenance.columns, provenance.donors.T, strict=True))
    for one, other in _list_pairs(provenance.columns, secrets):
        first, second = donors[one], donors[other]
        counts[frozenset((one, other))] = int(((first == second) & (first >= 0)).sum())
    if len(counts) < 2:
        return {}
    usual = USUAL * float(np.median(list(counts.values())))
    return {
        pair: count / n
        for pair, count in counts.items()
        if count > usual + CLEARLY * np.sqrt(count + USUAL * usual)
    }


def _list_pairs(columns: Names, secrets: Iterable[str] | None) -> Iterator[tuple[str, str]]:
    if secrets is None or len(columns) <= WIDE:
        return combinations(columns, 2)
    there = set(columns)
    return ((one, other) for one in secrets if one in there for other in columns if one != other)
