"""Advice on what to do next, as far as it follows from the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import join_names
from swapmeet.measures.comparison import Ownership
from swapmeet.measures.registry import MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from swapmeet.measures.verdict import Reason

STRONGER = (
    "Mask more strongly, with larger groups, windows or radii, or by another method: "
    "`swapmeet tune FILE {limits}` searches for a setting that keeps {which}."
)
NAME_LIMITS = "Name limits, such as --limit linkage=0.2; without one, nothing is judged."
OWN_LIMITS = "The limits are the default ones. Name your own with --limit if others fit your data."
GIVE_OWNERS = (
    "Give the audit record (--audit), or say how rows match (--match). Without them nobody knows "
    "which released row belongs to whom."
)


def advise(
    reasons: Sequence[Reason],
    *,
    ownership: Ownership,
    default: bool = False,
    unmasked: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> Iterator[str]:
    """Advise what to do next; `unmasked` are columns an intruder knows that were not masked."""
    if not reasons:
        yield NAME_LIMITS
        return
    yield from _complete(reasons, ownership)
    missed = [reason for reason in reasons if reason.missed]
    yield from _name_columns(missed, unmasked, keys)
    yield from dict.fromkeys(filter(None, map(_remedy, missed)))
    if missed:
        limits = " ".join(f"--limit {one.measure}={one.limit:g}" for one in missed)
        yield STRONGER.format(limits=limits, which="it" if len(missed) == 1 else "them")
    yield from _narrow(missed)
    if default:
        yield OWN_LIMITS


def _complete(reasons: Sequence[Reason], ownership: Ownership) -> Iterator[str]:
    """Say how to get the figures that are missing."""
    unmeasured = [reason.measure for reason in reasons if reason.score is None]
    if unmeasured:
        yield f"Measure {join_names(unmeasured)} as well. A limit that is not measured is not met."
    undefined = [reason for reason in reasons if reason.score is not None and not reason.decided]
    if undefined and ownership is Ownership.UNKNOWN:
        yield GIVE_OWNERS


def _name_columns(
    missed: Sequence[Reason], unmasked: Sequence[str], keys: Sequence[str]
) -> Iterator[str]:
    """The columns that give people away."""
    used = [name for reason in missed for name in _list_used(reason)]
    plain = [name for name in unmasked if name in used or not used]
    if missed and plain:
        yield (
            f"{join_names(plain)} {'is' if len(plain) == 1 else 'are'} published unmasked, and an "
            f"intruder knows {'it' if len(plain) == 1 else 'them'}. Mask, coarsen or drop "
            f"{'it' if len(plain) == 1 else 'them'}."
        )
    few = list(dict.fromkeys(used))
    if 0 < len(few) < len(keys) and not set(few) & set(plain):
        it = "it" if len(few) == 1 else "them"
        yield f"The worst intruder uses only {join_names(few)}. Mask {it} more strongly."


def _list_used(reason: Reason) -> Sequence[str]:
    """The columns by which the worst intruder finds people, where the measure names them."""
    intruder = reason.score.details.get("intruder") if reason.score else None
    return intruder["knows"] if isinstance(intruder, dict) else ()


def _remedy(reason: Reason) -> str:
    """Return what the measure itself says helps."""
    measure = MEASURES.get(reason.measure)
    return measure.remedy if measure else ""


def _narrow(missed: Sequence[Reason]) -> Iterator[str]:
    """Advise more people where only the interval exceeds the limit."""
    names = [reason.measure for reason in missed if reason.misses_by_interval]
    if names:
        yield (
            f"The value of {join_names(names)} keeps its limit, and only the unfavourable end of "
            "its interval does not. With more people (--at-most, or a larger table) the interval "
            "is narrower."
        )
