"""Evidence about columns of which some moved as one, or moved otherwise than the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from swapmeet.intruders.evidence import GroupShares, NeighborShares

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from swapmeet.intruders.evidence import Evidence, Likelihood


def join_sets(pieces: Iterable[Likelihood], seen: Evidence) -> list[Likelihood]:
    """The pieces, with one for each set of columns that moved as its first column did.

    What a method says about the other columns of a set, it says as if they had moved by themselves.
    """
    evidence = list(pieces)
    for names in seen.people.together:
        alone = [
            piece for piece in evidence if len(piece.columns) == 1 and piece.columns[0] in names
        ]
        first = [piece for piece in alone if piece.columns[0] == names[0]]
        if not first:
            continue
        evidence = [piece for piece in evidence if piece not in alone]
        evidence.append(describe_columns(first[0], names, seen) or first[0])
    return evidence


def describe_columns(
    piece: Likelihood, names: Collection[str], seen: Evidence
) -> Likelihood | None:
    """A piece that says about other columns what it says about its own; None where it cannot.

    Only what goes by the people whose values a row may have, whatever these values are, can.
    """
    if isinstance(piece, (GroupShares, NeighborShares)):
        return replace(piece, columns=tuple(names), codes=seen.code(*names))
    return None
