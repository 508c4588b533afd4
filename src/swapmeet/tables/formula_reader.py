"""The grammar of model formulas, that of R and patsy as far as it goes. Nothing is executed.

::

    formula   response ~ sum
    sum       [+ | -] cross { + cross | - cross }      - takes terms away; 0 and - 1 the intercept
    cross     product { * product }                    a*b is a + b + a:b
    product   power { : power }
    power     atom [ ^ number ]                        (a + b)^2 is a + b + a:b
    atom      name | C(name) | function(number) | I(number) | (sum) | 0 | 1

    number    part { + part | - part }
    part      signed { * signed | / signed }
    signed    - signed | base [ ^ signed ]             ** is ^
    base      name | number | function(number) | (number)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Final, TypeVar

from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.tables.formula_numbers import (
    FUNCTIONS,
    Constant,
    Function,
    Number,
    Operation,
    Reference,
)

_Read = TypeVar("_Read")
_TOKENS: Final = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<name>[^\W\d][\w.]*)|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<sign>\*\*|[-+*/^:()~]))\s*"
)
DEEPEST: Final = 50
"""So many parentheses stand in each other at most."""
MOST_TERMS: Final = 500
MOST_POWER: Final = 9


@dataclass(frozen=True)
class Factor:
    """A column in a model, by its numbers or by its categories; or a `number` made of columns.

    The `column` of such a number is what it is called.
    """

    column: str
    by_category: bool = False
    number: Function | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (self.column,) if self.number is None else self.number.columns


Term = tuple[Factor, ...]
INTERCEPT: Final[Term] = ()
"""The term without factors."""


def list_tokens(text: str) -> list[str]:
    """Names, numbers and signs; names with blanks or signs stand between backquotes.

    >>> list_tokens("wage ~ I(age**2) - 1")
    ['wage', '~', 'I', '(', 'age', '^', '2', ')', '-', '1']
    """
    tokens, at = [], 0
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            raise refuse(text)
        tokens.append("^" if match["sign"] == "**" else match[0].strip())
        at = match.end()
    return tokens


def refuse(text: str, why: str = "") -> ParameterError:
    """The error of a text that is no formula."""
    return ParameterError(
        f"model: {text!r} is not understood.{why} Write, for example, wage ~ age + C(sex) + "
        "age:educ or log(wage) ~ age + I(age^2); names with blanks or signs stand between "
        "`backquotes`."
    )


@dataclass
class FormulaReader:
    """Reads the tokens of a formula from left to right."""

    text: str
    tokens: list[str] = field(default_factory=list)
    at: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        self.tokens = self.tokens or list_tokens(self.text)

    def read_response(self) -> Factor:
        """Read what is before the tilde."""
        factors = self._read_atom()
        if len(factors) != 1 or len(factors[0]) != 1 or factors[0][0].by_category:
            raise refuse(self.text)
        self.expect("~")
        return factors[0][0]

    def read_terms(self) -> tuple[Term, ...]:
        """All that is left, as terms; the intercept is one of them, unless it was taken away."""
        terms = self._read_sum([INTERCEPT])
        if self.at < len(self.tokens):
            raise refuse(self.text)
        return tuple(terms)

    def read_product(self) -> Term:
        """A product of columns that is all there is."""
        terms = self._read_product()
        if self.at < len(self.tokens) or len(terms) != 1:
            raise refuse(self.text)
        return terms[0]

    def _read_sum(self, terms: list[Term]) -> list[Term]:
        sign = self._take("+", "-") or "+"
        while True:
            if self._take("0"):
                terms = _change(terms, [INTERCEPT], "-" if sign == "+" else "+")
            else:
                terms = _change(terms, self._read_cross(), sign)
            if len(terms) > MOST_TERMS:
                raise refuse(self.text, f" It has more than {MOST_TERMS} terms.")
            sign = self._take("+", "-")
            if not sign:
                return terms

    def _read_cross(self) -> list[Term]:
        terms = self._read_product()
        while self._take("*"):
            terms = self._cross(terms, self._read_product())
        return terms

    def _cross(self, one: list[Term], two: list[Term]) -> list[Term]:
        if (len(one) + 1) * (len(two) + 1) > MOST_TERMS:
            raise refuse(self.text, f" It has more than {MOST_TERMS} terms.")
        return _unite([*one, *two, *_multiply(one, two)])

    def _read_product(self) -> list[Term]:
        terms = self._read_power()
        while self._take(":"):
            terms = _multiply(terms, self._read_power())
        return terms

    def _read_power(self) -> list[Term]:
        terms = self._read_atom()
        if not self._take("^"):
            return terms
        if len(terms) == 1:
            name = ":".join(factor.column for factor in terms[0])
            raise refuse(
                self.text,
                f" In R, {name}^2 is {name} itself; for the square of it, write I({name}^2).",
            )
        power = self._take(*(str(each) for each in range(1, MOST_POWER + 1)))
        if not power:
            raise refuse(self.text)
        base = terms
        for _ in range(int(power) - 1):
            terms = self._cross(terms, base)
        return terms

    def _read_atom(self) -> list[Term]:
        if self._take("("):
            with_terms = self._inside(lambda: self._read_sum([]))
            self.expect(")")
            return with_terms
        if self._take("1"):
            return [INTERCEPT]
        name = self._read_name()
        if self._peek() != "(":
            return [(Factor(name.strip("`")),)]
        self.at += 1
        factor = self._read_category() if name == "C" else self._read_function(name)
        return [(factor,)]

    def _read_category(self) -> Factor:
        name = self._read_name().strip("`")
        self.expect(")")
        return Factor(name, by_category=True)

    def _read_function(self, name: str) -> Factor:
        number = self._read_call(name)
        return Factor(str(number), number=number)

    def _read_call(self, name: str) -> Function:
        """A function, whose parenthesis is open; numpy's names are known, too."""
        known = name.removeprefix("np.").removeprefix("numpy.")
        if known not in FUNCTIONS:
            raise ParameterError(
                f"model: {self.text!r}: there is no function {name!r}"
                f"{did_you_mean(known, FUNCTIONS)} There are C, {', '.join(FUNCTIONS)}."
            )
        argument = self._inside(self._read_number)
        self.expect(")")
        if not argument.columns:
            raise refuse(self.text)
        return Function(known, argument)

    def _read_number(self) -> Number:
        number = self._read_part()
        while sign := self._take("+", "-"):
            number = Operation(sign, number, self._read_part())
        return number

    def _read_part(self) -> Number:
        number = self._read_signed()
        while sign := self._take("*", "/"):
            number = Operation(sign, number, self._read_signed())
        return number

    def _read_signed(self) -> Number:
        if self._take("-"):
            return Operation("-", Constant(0.0), self._inside(self._read_signed))
        base = self._read_base()
        return Operation("^", base, self._inside(self._read_signed)) if self._take("^") else base

    def _read_base(self) -> Number:
        if self._take("("):
            number = self._inside(self._read_number)
            self.expect(")")
            return number
        token = self._peek()
        if token[:1].isdecimal() or token[:1] == ".":
            self.at += 1
            return Constant(float(token))
        name = self._read_name()
        if self._take("("):
            return self._read_call(name)
        return Reference(name.strip("`"))

    def _inside(self, read: Callable[[], _Read]) -> _Read:
        """Read what stands one level deeper."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise refuse(self.text, f" More than {DEEPEST} parentheses stand in each other.")
        part = read()
        self.depth -= 1
        return part

    def _read_name(self) -> str:
        token = self._peek()
        if not (token[:1] == "`" or token[:1].isidentifier()):
            raise refuse(self.text)
        self.at += 1
        return token

    def expect(self, sign: str) -> None:
        """Read a sign that must be there."""
        if not self._take(sign):
            raise refuse(self.text)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self, *signs: str) -> str:
        """The next token if it is one of these."""
        token = self._peek()
        if token not in signs or not token:
            return ""
        self.at += 1
        return token


def _multiply(one: Iterable[Term], two: Iterable[Term]) -> list[Term]:
    """Each term of the one with each of the other; a factor counts once."""
    return _unite(tuple(dict.fromkeys((*a, *b))) for a, b in product(one, two))


def _unite(terms: Iterable[Term]) -> list[Term]:
    """The terms, each once, in whichever order its factors stand."""
    by_factors: dict[frozenset[Factor], Term] = {}
    for term in terms:
        by_factors.setdefault(frozenset(term), term)
    return list(by_factors.values())


def _change(terms: list[Term], more: list[Term], sign: str) -> list[Term]:
    if sign == "+":
        return _unite([*terms, *more])
    gone = {frozenset(term) for term in more}
    return [term for term in terms if frozenset(term) not in gone]
