"""Some of what an intruder knows: more knowledge must not mean less risk."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.wide_tables import WIDE
from swapmeet.intruders.guesses.secrets import (
    Question,
    find_tolerance,
    list_known,
    list_secrets,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.knowledge import Knowledge
    from swapmeet.release.provenance import Provenance

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


def list_parts(comparison: Comparison, level: Knowledge) -> tuple[Question, ...]:
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
        Question(secret=secret, known=names, tolerance=near[secret])
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
