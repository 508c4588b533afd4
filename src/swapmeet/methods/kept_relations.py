"""The relations that a curator wants kept above others, as people write them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from swapmeet.core.tables.formulas import Formula, is_model, parse_product
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Wish(NamedTuple):
    """Columns whose relations count more, and threes of them whose common relation is kept."""

    columns: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


def parse_wish(text: str) -> Wish:
    """Read a model, a column, or a product of two or three columns.

    >>> parse_wish("wage ~ age + sex:educ").triples
    (('wage', 'sex', 'educ'),)
    >>> parse_wish("age:sex:town").triples
    (('age', 'sex', 'town'),)
    """
    if is_model(text):
        model = Formula.parse(text)
        products = [[name for factor in term for name in factor.columns] for term in model.terms]
        triples = [
            (model.response_columns[0], *two) for names in products for two in pairwise(names)
        ]
        return Wish(model.columns, tuple(_distinct(triples)))
    columns = parse_product(text)
    if len(columns) > 3:
        raise ParameterError(f"matched-swap: `relations`: {text!r} names more than three columns.")
    return Wish(columns, tuple(_distinct([columns])))


def _distinct(names: Sequence[tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Select the sets of three columns, none of them twice."""
    return [(n[0], n[1], n[2]) for n in names if len(n) == 3 == len(set(n))]
