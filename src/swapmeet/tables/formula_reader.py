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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from swapmeet.base.sentences import join_names
from swapmeet.errors import ParameterError, SchemaError, TableError, did_you_mean
from swapmeet.tables.expressions.functions import Call
from swapmeet.tables.expressions.reader import TokenReader
from swapmeet.tables.expressions.values import Arithmetic, Name, Negated, NumberLiteral, Value
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.tables.microdata import Microdata


FUNCTIONS: Final[Mapping[str, Callable[[Floats], Floats]]] = {
    "I": np.positive,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "square": np.square,
    "abs": np.abs,
}
"""Functions by the name that R, patsy and formulaic have for them; I() is the identity."""
_SIGNS: Final[Mapping[str, Callable[[Floats, Floats], Floats]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_REMEDIES: Final = {
    "log": "A logarithm needs values above 0: recode them, or write log1p(...), which allows 0",
    "sqrt": "A square root needs values of 0 or more",
}


class UndefinedTermError(TableError):
    """A term of a formula has no value in some rows whose columns have one."""


def write_number(part: Value) -> str:
    """A number as a term is called: without blanks, and with parentheses around operations."""
    if isinstance(part, NumberLiteral):
        return f"{float(part.text):g}"
    if isinstance(part, Name):
        return part.name
    if isinstance(part, Call):
        return f"{part.name}({write_number(part.arguments[0])})"
    sign, *sides = _list_sides(part)
    left, right = (
        f"({write_number(side)})" if isinstance(side, Arithmetic | Negated) else write_number(side)
        for side in sides
    )
    return f"{left}{sign}{right}"


def compute_number(number: Call, data: Microdata) -> Floats:
    """The value in each row, NaN where one of the columns is missing; refuse rows without one."""
    with np.errstate(all="ignore"):
        values = _compute(number, data)
    present = np.ones(data.n, np.bool_)
    for name in number.columns():
        present &= ~data[name].missing
    undefined = int((present & ~np.isfinite(values)).sum())
    if undefined:
        raise UndefinedTermError(f"model: {_explain(number, undefined, data.n)}")
    return np.where(present, values, np.nan)


def _compute(part: Value, data: Microdata) -> Floats:
    """Values in doubles; a nominal column has none."""
    if isinstance(part, NumberLiteral):
        return np.full(data.n, float(part.text))
    if isinstance(part, Call):
        return FUNCTIONS[part.name](_compute(part.arguments[0], data))
    if isinstance(part, Name):
        variable = data[part.name]
        if variable.kind is Kind.NOMINAL:
            raise SchemaError(
                [f"model: {part.name!r} is nominal; a function needs numbers. Make it numeric."]
            )
        return variable.values.astype(np.float64)
    sign, left, right = _list_sides(part)
    return _SIGNS[sign](_compute(left, data), _compute(right, data))


def _list_sides(part: Any) -> tuple[str, Value, Value]:
    """The sign of an operation and what is on both sides of it; -a is 0 - a."""
    if isinstance(part, Negated):
        return "-", NumberLiteral("0"), part.one
    return part.sign, part.one, part.other


def _explain(number: Call, undefined: int, rows: int) -> str:
    of = join_names(dict.fromkeys(number.columns()))
    called = _list_functions(number)
    remedy = next((_REMEDIES[name] for name in _REMEDIES if name in called), None)
    hint = f" {remedy}." if remedy else " It divides by 0 there, or its values are too large."
    name = write_number(number)
    return f"{name} has no value in {undefined} of {rows} rows in which {of} has one.{hint}"


def _list_functions(part: Value) -> set[str]:
    if isinstance(part, Call):
        return {part.name} | _list_functions(part.arguments[0])
    if isinstance(part, Arithmetic | Negated):
        _, left, right = _list_sides(part)
        return _list_functions(left) | _list_functions(right)
    return set()


_TOKENS: Final = re.compile(
    r"\s*(?:(?P<quoted>`[^`]+`)|(?P<name>[^\W\d][\w.]*)|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<sign>\*\*|[-+*/^:()~]))\s*"
)
MOST_TERMS: Final = 500
MOST_POWER: Final = 9


@dataclass(frozen=True)
class Factor:
    """A column in a model, by its numbers or by its categories; or a `number` made of columns.

    The `column` of such a number is what it is called.
    """

    column: str
    by_category: bool = False
    number: Call | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return (
            (self.column,) if self.number is None else tuple(dict.fromkeys(self.number.columns()))
        )


Term = tuple[Factor, ...]
INTERCEPT: Final[Term] = ()
"""The term without factors."""


def list_tokens(text: str) -> list[tuple[str, str, int]]:
    """Names, numbers and signs; names with blanks or signs stand between backquotes.

    >>> [token for _, token, _ in list_tokens("wage ~ I(age**2) - 1")]
    ['wage', '~', 'I', '(', 'age', '^', '2', ')', '-', '1']
    """
    tokens, at = [], 0
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None:
            raise refuse(text)
        kind = str(match.lastgroup)
        tokens.append((kind, match[kind].replace("**", "^") if kind == "sign" else match[kind], at))
        at = match.end()
    return tokens


def refuse(text: str, why: str = "") -> ParameterError:
    """The error of a text that is no formula."""
    return ParameterError(
        f"model: {text!r} is not understood.{why} Write, for example, wage ~ age + C(sex) + "
        "age:educ or log(wage) ~ age + I(age^2); names with blanks or signs stand between "
        "`backquotes`."
    )


class FormulaReader(TokenReader):
    """Reads the tokens of a formula from left to right."""

    DEEPEST = 50
    PRODUCT = ("*", "/")
    UNARY = ("-",)
    POWER = "^"

    def __init__(self, text: str) -> None:
        super().__init__(list_tokens(text))
        self._text = text

    def read_response(self) -> Factor:
        """Read what is before the tilde."""
        factors = self._read_atom()
        if len(factors) != 1 or len(factors[0]) != 1 or factors[0][0].by_category:
            raise refuse(self._text)
        self._take_sign("~")
        return factors[0][0]

    def read_terms(self) -> tuple[Term, ...]:
        """All that is left, as terms; the intercept is one of them, unless it was taken away."""
        terms = self._read_sum([INTERCEPT])
        if self._at < len(self._tokens):
            raise refuse(self._text)
        return tuple(terms)

    def read_product(self) -> Term:
        """A product of columns that is all there is."""
        terms = self._read_product()
        if self._at < len(self._tokens) or len(terms) != 1:
            raise refuse(self._text)
        return terms[0]

    def _read_sum(self, terms: list[Term]) -> list[Term]:
        sign = self._accept("+", "-") or "+"
        while True:
            if self._accept("0"):
                terms = _change(terms, [INTERCEPT], "-" if sign == "+" else "+")
            else:
                terms = _change(terms, self._read_cross(), sign)
            if len(terms) > MOST_TERMS:
                raise refuse(self._text, f" It has more than {MOST_TERMS} terms.")
            sign = self._accept("+", "-")
            if not sign:
                return terms

    def _read_cross(self) -> list[Term]:
        terms = self._read_product()
        while self._accept("*"):
            terms = self._cross(terms, self._read_product())
        return terms

    def _cross(self, one: list[Term], two: list[Term]) -> list[Term]:
        if (len(one) + 1) * (len(two) + 1) > MOST_TERMS:
            raise refuse(self._text, f" It has more than {MOST_TERMS} terms.")
        return _unite([*one, *two, *_multiply(one, two)])

    def _read_product(self) -> list[Term]:
        terms = self._read_power()
        while self._accept(":"):
            terms = _multiply(terms, self._read_power())
        return terms

    def _read_power(self) -> list[Term]:
        terms = self._read_atom()
        if not self._accept("^"):
            return terms
        if len(terms) == 1:
            name = ":".join(factor.column for factor in terms[0])
            raise refuse(
                self._text,
                f" In R, {name}^2 is {name} itself; for the square of it, write I({name}^2).",
            )
        power = self._accept(*(str(each) for each in range(1, MOST_POWER + 1)))
        if not power:
            raise refuse(self._text)
        base = terms
        for _ in range(int(power) - 1):
            terms = self._cross(terms, base)
        return terms

    def _read_atom(self) -> list[Term]:
        if self._accept("("):
            with_terms = self._deeper(lambda: self._read_sum([]))
            self._take_sign(")")
            return with_terms
        if self._accept("1"):
            return [INTERCEPT]
        name = self._read_name()
        if not self._sees("("):
            return [(Factor(name.strip("`")),)]
        self._at += 1
        factor = self._read_category() if name == "C" else self._read_function(name)
        return [(factor,)]

    def _read_category(self) -> Factor:
        name = self._read_name().strip("`")
        self._take_sign(")")
        return Factor(name, by_category=True)

    def _read_function(self, name: str) -> Factor:
        number = self._read_call(name)
        return Factor(write_number(number), number=number)

    def _read_call(self, name: str) -> Call:
        """A function, whose parenthesis is open; numpy's names are known, too."""
        known = name.removeprefix("np.").removeprefix("numpy.")
        if known not in FUNCTIONS:
            raise ParameterError(
                f"model: {self._text!r}: there is no function {name!r}"
                f"{did_you_mean(known, FUNCTIONS)} There are C, {', '.join(FUNCTIONS)}."
            )
        argument: Any = self._deeper(self._sum)
        self._take_sign(")")
        if not argument.columns():
            raise refuse(self._text)
        return Call(known, (argument,))

    def _primary(self) -> Any:
        if self._accept("("):
            number = self._deeper(self._sum)
            self._take_sign(")")
            return number
        kind, token = self._peek()
        if kind == "number":
            self._at += 1
            return NumberLiteral(repr(float(token)))
        name = self._read_name()
        if self._accept("("):
            return self._read_call(name)
        return Name(name.strip("`"))

    def _error(self) -> ParameterError:
        return refuse(self._text)

    def _error_of_depth(self) -> ParameterError:
        return refuse(self._text, f" More than {self.DEEPEST} parentheses stand in each other.")

    def _read_name(self) -> str:
        return self._take("name", "quoted")

    def _accept(self, *tokens: str) -> str:
        """The next token if it is one of these."""
        _, token = self._peek()
        if token not in tokens or not token:
            return ""
        self._at += 1
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
