"""Model formulas, as people write them: wage ~ age + C(sex) + age:educ. Nothing is executed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.errors import ParameterError, SchemaError, did_you_mean

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.core.tables.microdata import Microdata

    Floats = npt.NDArray[np.float64]

_NAME = r"(?:`[^`]+`|[^\W\d][\w.]*)"
_FACTOR = re.compile(rf"\s*(?:C\(\s*(?P<categories>{_NAME})\s*\)|(?P<plain>{_NAME}))\s*$")
MOST_LEVELS = 200


@dataclass(frozen=True)
class Factor:
    """A column in a model, by its numbers or by its categories."""

    column: str
    by_category: bool = False


@dataclass(frozen=True)
class Formula:
    """A response and terms, each a product of factors; an intercept, unless a term is 0.

    `C(name)` takes a column by its categories, as nominal columns are anyway; `a:b` is a product
    of two columns, `a*b` stands for a + b + a:b. Names with blanks or signs stand between
    `backquotes`.

    >>> Formula.parse("wage ~ age*educ + C(sex)").terms[2]
    (Factor(column='age', by_category=False), Factor(column='educ', by_category=False))
    """

    text: str
    response: str
    terms: tuple[tuple[Factor, ...], ...]
    intercept: bool = True

    @classmethod
    def parse(cls, text: str) -> Formula:
        """Read a formula."""
        sides = _split(text, "~")
        response = _factor(sides[0], text)
        if len(sides) != 2 or response.by_category:
            raise ParameterError(_refusal(text))
        parts = _split(sides[1], "+")
        terms = [term for part in parts if part.strip() != "0" for term in _terms(part, text)]
        if not terms:
            raise ParameterError(_refusal(text))
        intercept = all(part.strip() != "0" for part in parts)
        return cls(text.strip(), response.column, tuple(dict.fromkeys(terms)), intercept)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        named = [factor.column for term in self.terms for factor in term]
        return tuple(dict.fromkeys([self.response, *named]))

    def check(self, data: Microdata) -> None:
        """Refuse columns that are not there, and a response without numbers."""
        problems = [
            f"model: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
            for name in self.columns
            if name not in data.names
        ]
        if not problems and data[self.response].kind is Kind.NOMINAL:
            problems = [f"model: the response {self.response!r} is nominal; it must have numbers."]
        if problems:
            raise SchemaError(problems)

    def design(self, data: Microdata, like: Microdata) -> tuple[list[str], Floats]:
        """Names and columns of the design matrix; categories are those of `like`, the first is
        the reference.
        """
        names, columns = (["intercept"], [np.ones(data.n)]) if self.intercept else ([], [])
        for term in self.terms:
            parts = [_columns(factor, data, like) for factor in term]
            product = parts[0]
            for part in parts[1:]:
                product = [(f"{one}:{other}", x * y) for one, x in product for other, y in part]
            names += [name for name, _ in product]
            columns += [column for _, column in product]
        return names, np.stack(columns, axis=1)


def parse_product(text: str) -> tuple[str, ...]:
    """The columns of a product such as age:sex, each once.

    >>> parse_product("age:sex:town")
    ('age', 'sex', 'town')
    """
    return tuple(dict.fromkeys(_factor(part, text).column for part in _split(text, ":")))


def is_model(text: str) -> bool:
    """Whether a text has two sides, as a formula has.

    >>> is_model("wage ~ age"), is_model("`wage ~ age`")
    (True, False)
    """
    return len(_split(text, "~")) > 1


def _split(text: str, sign: str) -> list[str]:
    """The parts between signs; those between backquotes are letters of a name."""
    return re.split(rf"{re.escape(sign)}(?=(?:[^`]*`[^`]*`)*[^`]*$)", text)


def _terms(part: str, text: str) -> list[tuple[Factor, ...]]:
    crossed = [tuple(_factor(f, text) for f in _split(piece, ":")) for piece in _split(part, "*")]
    if len(crossed) == 1:
        return crossed
    if len(crossed) > 2 or any(len(piece) > 1 for piece in crossed):
        raise ParameterError(_refusal(text))
    return [*crossed, (*crossed[0], *crossed[1])]


def _factor(text: str, whole: str) -> Factor:
    found = _FACTOR.match(text)
    if not found:
        raise ParameterError(_refusal(whole))
    categories, plain = found["categories"], found["plain"]
    return Factor((categories or plain).strip("`"), by_category=categories is not None)


def _columns(factor: Factor, data: Microdata, like: Microdata) -> list[tuple[str, Floats]]:
    variable = data[factor.column]
    if not factor.by_category and variable.kind is not Kind.NOMINAL:
        return [(factor.column, variable.values)]
    levels = np.unique(like[factor.column].values[~like[factor.column].missing])
    if len(levels) > MOST_LEVELS:
        raise SchemaError(
            [f"model: {factor.column!r} has more than {MOST_LEVELS} categories; recode it first."]
        )
    found = []
    for number, level in enumerate(levels[1:], 2):
        flags = np.where(variable.missing, np.nan, variable.values == level)
        found.append((f"{factor.column} (category {number})", flags))
    return found


def _refusal(text: str) -> str:
    return (
        f"model: {text!r} is not understood. Write, for example, wage ~ age + C(sex) + age:educ; "
        "names with blanks or signs stand between `backquotes`."
    )
