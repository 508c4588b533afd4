"""Categories of a model that have a reference: the rule of patsy, and of R where it has one.

A column of categories, taken whole, says as much as an intercept and its categories but the first.
So a product a:b says 1 + a- + b- + a-:b-, where the minus is for the reference that is left out.
What earlier terms have said is not said again; the rest is put together to as few products as
possible. Thus the columns of a design never repeat each other because of how it was coded.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from swapmeet.core.tables.formula_reader import Factor, Term


class CodedFactor(NamedTuple):
    """A factor in a product of the design; `whole` if none of its categories is the reference."""

    factor: Factor
    whole: bool = False


def code_terms(
    terms: Iterable[Term], is_categorical: Callable[[Factor], bool], *, intercept: bool
) -> Iterator[tuple[CodedFactor, ...]]:
    """The products of a design, each with the coding of its factors, in the order of the terms."""
    said: dict[frozenset[Factor], set[frozenset[CodedFactor]]] = {}
    if intercept:
        said[frozenset()] = {frozenset()}
    for term in terms:
        categories = [factor for factor in term if is_categorical(factor)]
        numbers = frozenset(term) - set(categories)
        before = said.setdefault(numbers, set())
        parts = [part for part in _list_parts(categories) if part not in before]
        before.update(parts)
        for part in _join(parts):
            coded = {each.factor: each for each in part}
            coded |= {factor: CodedFactor(factor) for factor in numbers}
            yield tuple(coded[factor] for factor in term if factor in coded)


def _list_parts(categories: list[Factor]) -> Iterator[frozenset[CodedFactor]]:
    """List the parts of a product of categories, the smallest first."""
    for size in range(len(categories) + 1):
        for some in combinations(categories, size):
            yield frozenset(CodedFactor(factor) for factor in some)


def _join(parts: list[frozenset[CodedFactor]]) -> list[frozenset[CodedFactor]]:
    """The same said by as few products as possible: a- and a-:b- are a-:b."""
    joined = list(parts)
    while pair := _find_pair(joined):
        short, long = pair
        (added,) = joined[long] - joined[short]
        joined[short] |= {CodedFactor(added.factor, whole=True)}
        del joined[long]
    return joined


def _find_pair(parts: list[frozenset[CodedFactor]]) -> tuple[int, int] | None:
    """The first part that another has, with one factor more."""
    for short, long in combinations(range(len(parts)), 2):
        if parts[short] < parts[long] and len(parts[long]) == len(parts[short]) + 1:
            return short, long
    return None
