"""Expressions are read by recursive descent: or, and, not, test, sum, product, power."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar, cast

from swapmeet.errors import ParameterError
from swapmeet.tables.expressions.functions import (
    CHOICE,
    FUNCTIONS,
    LEAST_ARGUMENTS,
    MOST_ARGUMENTS,
    Call,
    IfElse,
)
from swapmeet.tables.expressions.values import (
    EQUAL,
    ORDER,
    Arithmetic,
    Comparing,
    Joined,
    LiteralTest,
    Name,
    Negated,
    NumberLiteral,
    Test,
    TextLiteral,
    Value,
)

TOKENS = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<text>"[^"]*"|'[^']*')
      | `(?P<quoted>[^`]+)`
      | (?P<sign><=|>=|!=|==|\*\*|//|=|<|>|\(|\)|,|\+|-|\*|/)
      | (?P<word>[^\W\d][\w.]*)
    )""",
    re.VERBOSE,
)
QUOTED = re.compile(r"""(`[^`]+`)|"[^"]*"|'[^']*'""")
RESERVED = {"and", "or", "not", "in", "is", "missing"}
LONGEST = 1_000
"""Words and signs, at most."""
_Read = TypeVar("_Read")
TESTS = (LiteralTest, Comparing, Joined)


def hide_texts(text: str) -> str:
    """An expression without the texts in it, which may be somebody's values.

    >>> hide_texts('age >= 18 or marital = "single"')
    'age >= 18 or marital = "…"'
    """
    return QUOTED.sub(lambda match: match.group(0) if match.group(1) else '"…"', text)


class TokenReader(ABC):
    """Reads tokens from left to right: sums, products and powers, which all that is read has.

    A token is its kind (word, quoted, number, text or sign), what it says, and its place.
    """

    DEEPEST: ClassVar[int] = 60
    """Parentheses, signs and functions inside each other, at most."""
    PRODUCT: ClassVar[tuple[str, ...]] = ("*", "/", "//")
    UNARY: ClassVar[tuple[str, ...]] = ("-", "+")
    POWER: ClassVar[str] = "**"

    def __init__(self, tokens: Iterable[tuple[str, str, int]]) -> None:
        self._tokens = list(tokens)
        self._at = 0
        self._depth = 0

    @abstractmethod
    def _error(self) -> ParameterError:
        """The error of a text that cannot be read from here on."""

    def _error_of_depth(self) -> ParameterError:
        return self._error()

    @abstractmethod
    def _primary(self) -> Any:
        """Read a name, a number, a function, or what is between parentheses."""

    def _need(self, part: Any, *, test: bool) -> Any:  # noqa: ARG002
        return part

    def _peek(self, ahead: int = 0) -> tuple[str, str]:
        at = self._at + ahead
        return self._tokens[at][:2] if at < len(self._tokens) else ("end", "")

    def _sees(self, *signs: str) -> bool:
        kind, value = self._peek()
        return kind == "sign" and value in signs

    def _take(self, *kinds: str) -> str:
        kind, value = self._peek()
        if kind not in kinds:
            raise self._error()
        self._at += 1
        return value

    def _take_sign(self, *signs: str) -> str:
        if not self._sees(*signs):
            raise self._error()
        return self._take("sign")

    def _deeper(self, part: Callable[[], _Read]) -> _Read:
        self._depth += 1
        if self._depth > self.DEEPEST:
            raise self._error_of_depth()
        expression = part()
        self._depth -= 1
        return expression

    def _sum(self) -> Any:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> Any:
        return self._chain(self.PRODUCT, self._unary)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], Any]) -> Any:
        left = part()
        while self._sees(*signs):
            sign = self._take("sign")
            self._need(left, test=False)
            left = Arithmetic(sign, left, self._need(part(), test=False))
        return left

    def _unary(self) -> Any:
        if self._sees(*self.UNARY):
            sign = self._take("sign")
            inner = self._need(self._deeper(self._unary), test=False)
            return Negated(inner) if sign == "-" else inner
        return self._power()

    def _power(self) -> Any:
        base = self._primary()
        if not self._sees(self.POWER):
            return base
        self._at += 1
        exponent = self._need(self._deeper(self._unary), test=False)
        return Arithmetic(self.POWER, self._need(base, test=False), exponent)


class Reader(TokenReader):
    """Reads a text; `what` it is called, and an `example`, are told where it is not understood."""

    def __init__(self, text: str, what: str, example: str) -> None:
        self._text, self._what, self._example = text, what, example
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ParameterError(f"{what}: holds half a character (a lone surrogate). Remove it.")
        super().__init__(self._split())
        if len(self._tokens) > LONGEST:
            raise ParameterError(f"{what}: longer than {LONGEST} words and signs. Split it.")

    def read_test(self) -> Test:
        """The whole text as a test."""
        test = self._either()
        if self._at < len(self._tokens) or not isinstance(test, TESTS):
            raise self._error()
        return test

    def read_derivation(self) -> tuple[str, Value]:
        """The whole text as a column, the sign =, and a value."""
        column = self._take("word", "quoted")
        self._take_sign("=", "==")
        value = self._sum()
        if self._at < len(self._tokens) or isinstance(value, TESTS):
            raise self._error()
        return column, cast("Any", value)

    def _split(self) -> Iterator[tuple[str, str, int]]:
        place, end = 0, len(self._text.rstrip())
        while place < end:
            match = TOKENS.match(self._text, place)
            if not match:
                raise ParameterError(self._refuse(place))
            place = match.end()
            kind = str(match.lastgroup)
            token, start = match.group(kind), match.start(kind)
            if kind == "word" and token.lower() in RESERVED:
                kind, token = "sign", token.lower()
            yield kind, token, start

    def _error(self) -> ParameterError:
        place = self._tokens[self._at][2] if self._at < len(self._tokens) else len(self._text)
        return ParameterError(self._refuse(place))

    def _refuse(self, place: int) -> str:
        before = hide_texts(self._text[:place]).strip()
        problem = "ends too early" if place >= len(self._text.rstrip()) else "cannot be read"
        where = f"after {before}" if before else "from its beginning"
        return (
            f"{self._what}: {problem}, {where}. Write, for example, {self._example}; put names "
            "with blanks between `backquotes`."
        )

    def _either(self) -> Test | Value:
        return self._join("or", self._all)

    def _all(self) -> Test | Value:
        return self._join("and", self._one)

    def _join(self, word: str, part: Callable[[], Test | Value]) -> Test | Value:
        parts = [part()]
        while self._sees(word):
            self._need(parts[-1], test=True)
            self._at += 1
            parts.append(part())
            self._need(parts[-1], test=True)
        return Joined(word, cast("Any", tuple(parts))) if len(parts) > 1 else parts[0]

    def _one(self) -> Test | Value:
        if not self._sees("not"):
            return self._test()
        self._at += 1
        return Joined("not", (cast("Any", self._need(self._deeper(self._one), test=True)),))

    def _need(self, part: Test | Value, *, test: bool) -> Any:
        """The part, if it is a test where one is needed, and a value where that is."""
        if isinstance(part, TESTS) is not test:
            raise self._error()
        return part

    def _test(self) -> Test | Value:
        one = self._sum()
        if not self._sees(*ORDER, *EQUAL, "in", "is", "not"):
            return one
        value = self._need(one, test=False)
        if isinstance(value, Name) and self._sees("in", "is", "not"):
            return self._test_of_column(value.name)
        sign = (ORDER | EQUAL)[self._take_sign(*ORDER, *EQUAL)]
        other = self._need(self._sum(), test=False)
        literal = _literal_of(other)
        if isinstance(value, Name) and literal is not None:
            return LiteralTest(value.name, sign, (literal,))
        return Comparing(value, sign, other)

    def _test_of_column(self, column: str) -> Test:
        sign = self._take_sign("in", "is", "not")
        if sign == "is":
            return self._missing(column)
        if sign == "not":
            self._take_sign("in")
        test = LiteralTest(column, "equal", self._list())
        return Joined("not", (test,)) if sign == "not" else test

    def _missing(self, column: str) -> Test:
        negated = self._sees("not")
        self._at += negated
        self._take_sign("missing")
        test = LiteralTest(column, "missing", ())
        return Joined("not", (test,)) if negated else test

    def _list(self) -> tuple[Any, ...]:
        self._take_sign("(")
        literals = [self._literal()]
        while self._sees(","):
            self._at += 1
            literals.append(self._literal())
        self._take_sign(")")
        return tuple(literals)

    def _literal(self) -> Any:
        literal = _literal_of(self._unary())
        if literal is None:
            raise self._error()
        return literal

    def _primary(self) -> Test | Value:
        if self._sees("("):
            self._at += 1
            inner = self._deeper(self._either)
            self._take_sign(")")
            return cast("Any", inner)
        kind, value = self._peek()
        if kind == "word" and value.lower() in FUNCTIONS and self._peek(1) == ("sign", "("):
            return cast("Any", self._deeper(self._call))
        value = self._take("number", "text", "word", "quoted")
        if kind == "number":
            return NumberLiteral(value)
        return TextLiteral(value[1:-1]) if kind == "text" else Name(value)

    def _call(self) -> Value:
        name = self._take("word").lower()
        self._take_sign("(")
        if name == CHOICE:
            test = self._need(self._either(), test=True)
            self._take_sign(",")
        arguments = [self._need(self._sum(), test=False)]
        while self._sees(","):
            self._at += 1
            arguments.append(self._need(self._sum(), test=False))
        least, most = (2, 2) if name == CHOICE else (LEAST_ARGUMENTS[name], MOST_ARGUMENTS[name])
        if not least <= len(arguments) <= most:
            raise self._error()
        self._take_sign(")")
        return IfElse(test, *arguments) if name == CHOICE else Call(name, tuple(arguments))


def _literal_of(part: Any) -> Any:
    """The number or text that a part is, if it is one."""
    if isinstance(part, TextLiteral):
        return part.text
    if isinstance(part, Negated) and isinstance(part.one, NumberLiteral):
        return -_number(part.one.text)
    return _number(part.text) if isinstance(part, NumberLiteral) else None


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() and len(text) < 19 else float(text)
