"""Model formulas, as people write them: log(wage) ~ age + I(age^2) + C(sex)*educ.

Categories of a model that have a reference: the rule of patsy, and of R where it has one.

A column of categories, taken whole, says as much as an intercept and its categories but the first.
So a product a:b says 1 + a- + b- + a-:b-, where the minus is for the reference that is left out.
What earlier terms have said is not said again; the rest is put together to as few products as
possible. Thus the columns of a design never repeat each other because of how it was coded.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.errors import ParameterError, SchemaError, did_you_mean
from swapmeet.tables.formula_reader import (
    INTERCEPT,
    Factor,
    FormulaReader,
    Term,
    compute_number,
    list_tokens,
    refuse,
)
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from swapmeet.base.arrays import Floats
    from swapmeet.tables.expressions.functions import Call
    from swapmeet.tables.microdata import Microdata


__all__ = ["Factor", "Formula", "is_model", "parse_product"]
MOST_LEVELS = 200


@dataclass(frozen=True)
class Formula:
    """A response and terms, each a product of factors; an intercept, unless `- 1` or 0 says so.

    `C(name)` takes a column by its categories, as nominal columns are anyway; `a:b` is a product
    of two columns, `a*b` stands for a + b + a:b, and (a + b + c)^2 for all of them and their
    products of two. `log(a)`, `I(a^2)` and the like are numbers made of columns. Names with blanks
    or signs stand between `backquotes`. Terms mean what they mean in R and patsy: where the terms
    that a product is made of are not all in the model, its categories have no reference.

    >>> Formula.parse("wage ~ age*educ + C(sex)").terms[2]
    (Factor(column='age', by_category=False, number=None), \
Factor(column='educ', by_category=False, number=None))
    >>> Formula.parse("log(wage) ~ age + I(age**2) - 1").names
    ('age', 'I(age^2)')
    """

    text: str
    response: str
    terms: tuple[tuple[Factor, ...], ...]
    intercept: bool = True
    response_number: Call | None = None

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read a formula."""
        reader = FormulaReader(text)
        response, every = reader.read_response(), reader.read_terms()
        terms = tuple(term for term in every if term)
        if not terms:
            raise refuse(text)
        has_intercept = INTERCEPT in every
        return cls(text.strip(), response.column, terms, has_intercept, response.number)

    @property
    def names(self) -> tuple[str, ...]:
        """The terms as they are called."""
        return tuple(":".join(factor.column for factor in term) for term in self.terms)

    @property
    def response_columns(self) -> tuple[str, ...]:
        """The columns of the response: one, unless it is a number made of several."""
        return Factor(self.response, number=self.response_number).columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        named = [name for term in self.terms for factor in term for name in factor.columns]
        return tuple(dict.fromkeys([*self.response_columns, *named]))

    def check(self, data: Microdata) -> None:
        """Refuse columns that are not there, a response without numbers, terms without values."""
        problems = [
            f"model: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
            for name in self.columns
            if name not in data.names
        ]
        plain = self.response_number is None
        if not problems and plain and data[self.response].kind is Kind.NOMINAL:
            problems = [f"model: the response {self.response!r} is nominal; it must have numbers."]
        if problems:
            raise SchemaError(problems)
        self.check_numbers(data)

    def check_numbers(self, data: Microdata) -> None:
        """Refuse a term such as log(income) that has no value in a row which has an income."""
        numbers = [factor.number for term in self.terms for factor in term]
        for number in dict.fromkeys([self.response_number, *numbers]):
            if number is not None:
                compute_number(number, data)

    def read_response(self, data: Microdata) -> Floats:
        """The numbers to explain, NaN where they are missing."""
        if self.response_number is None:
            return data[self.response].values
        return compute_number(self.response_number, data)

    def design(self, data: Microdata, like: Microdata) -> tuple[list[str], Floats]:
        """Names and columns of the design matrix; categories are those of `like`, the first is
        the reference where there is one.
        """
        names, columns = (["intercept"], [np.ones(data.n)]) if self.intercept else ([], [])

        def is_categorical(factor: Factor) -> bool:
            plain = factor.number is None
            return plain and (factor.by_category or data[factor.column].kind is Kind.NOMINAL)

        for coded in code_terms(self.terms, is_categorical, intercept=self.intercept):
            product = [("", np.ones(data.n))]
            for factor, whole in coded:
                part = _list_columns(factor, data, like, whole=whole)
                product = [(f"{one}:{other}", x * y) for one, x in product for other, y in part]
            names += [name.removeprefix(":") for name, _ in product]
            columns += [column for _, column in product]
        return names, np.stack(columns, axis=1)


def parse_product(text: str) -> tuple[str, ...]:
    """The columns of a product such as age:sex, each once.

    >>> parse_product("age:sex:town")
    ('age', 'sex', 'town')
    """
    factors = FormulaReader(text).read_product()
    return tuple(dict.fromkeys(name for factor in factors for name in factor.columns))


def is_model(text: str) -> bool:
    """Return whether a text has two sides, as a formula has.

    >>> is_model("wage ~ age"), is_model("`wage ~ age`")
    (True, False)
    """
    try:
        return any(token == "~" for _, token, _ in list_tokens(text))
    except ParameterError:
        return "~" in text


def _list_columns(
    factor: Factor, data: Microdata, like: Microdata, *, whole: bool
) -> list[tuple[str, Floats]]:
    """Names and columns of a factor; unless it is `whole`, its first category is the reference."""
    if factor.number is not None:
        return [(factor.column, compute_number(factor.number, data))]
    variable = data[factor.column]
    if not factor.by_category and variable.kind is not Kind.NOMINAL:
        return [(factor.column, variable.values)]
    levels = np.unique(like[factor.column].values[~like[factor.column].missing])
    if len(levels) > MOST_LEVELS:
        raise SchemaError(
            [f"model: {factor.column!r} has more than {MOST_LEVELS} categories; recode it first."]
        )
    columns = []
    for number, level in enumerate(levels, 1):
        if number > 1 or whole:
            flags = np.where(variable.missing, np.nan, variable.values == level)
            columns.append((f"{factor.column} (category {number})", flags))
    return columns


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
