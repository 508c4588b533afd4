r"""Conditions on the rows of a table, as people write them; nothing in them is ever executed.

sex = "f" and degree in ("PhD", "MD") and age < 31 and not `weeks worked` is missing
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from swapmeet.core.tables.schema import Kind
from swapmeet.errors import ParameterError, SchemaError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.microdata import Microdata

    Flags = npt.NDArray[np.bool_]

_TOKENS = re.compile(
    r"""\s*(?:
        (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<text>"[^"]*"|'[^']*')
      | `(?P<quoted>[^`]+)`
      | (?P<sign><=|>=|!=|==|=|<|>|\(|\)|,)
      | (?P<word>[^\W\d][\w.]*)
    )""",
    re.VERBOSE,
)
_ORDER = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
_EQUAL = {"=": "equal", "==": "equal", "!=": "not_equal"}
_RESERVED = {"and", "or", "not", "in", "is", "missing"}


@dataclass(frozen=True)
class Condition:
    """A condition, checked for form when it is made; columns are checked when it meets a table.

    >>> import pandas as pd
    >>> from swapmeet.core.tables.frame import Table
    >>> people = Table(pd.DataFrame({"age": [25, 40, 70], "sex": ["f", "m", "f"]}))
    >>> Condition('sex = "f" and age < 31').holds(people).tolist()
    [True, False, False]
    """

    text: str
    _tree: _Node = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tree", _Reader(self.text).read())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        return tuple(dict.fromkeys(self._tree.columns()))

    def holds(self, table: Table | CodedColumns) -> Flags:
        """Whether it holds, row by row; nothing holds of a missing value but `is missing`."""
        problems = [
            f"condition: there is no column {name!r}{did_you_mean(name, table.names)}"
            for name in self.columns
            if name not in table.names
        ]
        if problems:
            raise SchemaError(problems)
        return self._tree.holds(table)


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumns:
    """Columns as arrays, for conditions: a value is read where the original has the same.

    `like` has the original's arrays, and `columns` its values, row by row, as they stand in the
    table. Numbers are read as they are.
    """

    data: Microdata
    like: Microdata
    columns: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.data.names

    def family(self, name: str) -> str:
        """What sort of values the column holds."""
        return "categories" if self.data[name].kind is Kind.NOMINAL else "numbers"

    def plain(self, name: str) -> Any:
        """The column as one Arrow array."""
        import pyarrow as pa
        import pyarrow.types as pt

        values, known = self.data[name], self.columns.get(name)
        numbers = known is None or pt.is_integer(known.type) or pt.is_floating(known.type)
        if numbers and values.kind is not Kind.NOMINAL:
            return pa.array(values.values, mask=values.missing)
        if known is None:
            raise SchemaError(
                [f"condition: {name!r} has categories, which only a search looks up in the table."]
            )
        codes, rows = np.unique(self.like[name].values, return_index=True)
        at = np.minimum(np.searchsorted(codes, values.values), len(codes) - 1)
        unknown = (codes[at] != values.values) | values.missing
        return known.take(pa.array(rows[at], mask=unknown))


class _Node(Protocol):
    def columns(self) -> list[str]: ...

    def holds(self, table: Table | CodedColumns) -> Flags: ...


@dataclass(frozen=True)
class _Test:
    """A column compared with literals; without any, whether it is missing."""

    column: str
    sign: str
    literals: tuple[Any, ...]

    def columns(self) -> list[str]:
        return [self.column]

    def holds(self, table: Table | CodedColumns) -> Flags:
        import pyarrow as pa
        import pyarrow.compute as pc

        values = table.plain(self.column)
        if not self.literals:
            return np.asarray(values.is_null(nan_is_null=True))
        found = np.zeros(len(values), bool)
        for literal in self.literals:
            try:
                known = pa.scalar(literal)
                if isinstance(literal, str) and not pa.types.is_string(values.type):
                    known = known.cast(values.type)
                answer = getattr(pc, self.sign)(values, known)
            except (pa.ArrowException, TypeError):
                raise SchemaError([self._refusal(table)]) from None
            found |= np.asarray(pc.fill_null(answer, False))  # noqa: FBT003
        return found

    def _refusal(self, table: Table | CodedColumns) -> str:
        kind = "text" if isinstance(self.literals[0], str) else "a number"
        return (
            f"condition: {self.column!r} holds {table.family(self.column)} and cannot be compared "
            f"with {kind}."
        )


@dataclass(frozen=True)
class _Joined:
    """Conditions joined by and / or; one alone is negated."""

    word: str
    parts: tuple[_Node, ...]

    def columns(self) -> list[str]:
        return [name for part in self.parts for name in part.columns()]

    def holds(self, table: Table | CodedColumns) -> Flags:
        flags = [part.holds(table) for part in self.parts]
        if self.word == "not":
            return ~flags[0]
        join = np.logical_and if self.word == "and" else np.logical_or
        result: Flags = join.reduce(flags)
        return result


class _Reader:
    """Reads a condition by recursive descent: or, and, not, test."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._split())
        self.at = 0

    def read(self) -> _Node:
        node = self._either()
        if self.at < len(self.tokens):
            raise self._error()
        return node

    def _split(self) -> Any:
        place, end = 0, len(self.text.rstrip())
        while place < end:
            found = _TOKENS.match(self.text, place)
            if not found:
                raise ParameterError(_refusal(self.text, place))
            place = found.end()
            kind = str(found.lastgroup)
            token, start = found.group(kind), found.start(kind)
            if kind == "word" and token.lower() in _RESERVED:
                kind, token = "sign", token.lower()
            yield ("word" if kind == "quoted" else kind), token, start

    def _error(self) -> ParameterError:
        place = self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)
        return ParameterError(_refusal(self.text, place))

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.at][:2] if self.at < len(self.tokens) else ("end", "")

    def _take(self, kind: str, *values: str) -> str:
        found, value = self._peek()
        if found != kind or (values and value not in values):
            raise self._error()
        self.at += 1
        return value

    def _sees(self, *signs: str) -> bool:
        kind, value = self._peek()
        return kind == "sign" and value in signs

    def _either(self) -> _Node:
        return self._joined("or", self._all)

    def _all(self) -> _Node:
        return self._joined("and", self._one)

    def _joined(self, word: str, part: Any) -> _Node:
        parts = [part()]
        while self._sees(word):
            self.at += 1
            parts.append(part())
        return _Joined(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> _Node:
        if self._sees("not"):
            self.at += 1
            return _Joined("not", (self._one(),))
        if self._sees("("):
            self.at += 1
            inner = self._either()
            self._take("sign", ")")
            return inner
        return self._test()

    def _test(self) -> _Node:
        column = self._take("word")
        sign = self._take("sign", *_ORDER, *_EQUAL, "in", "is", "not")
        if sign == "is":
            return self._missing(column)
        if sign == "not":
            self._take("sign", "in")
            return _Joined("not", (_Test(column, "equal", self._list()),))
        if sign == "in":
            return _Test(column, "equal", self._list())
        return _Test(column, (_ORDER | _EQUAL)[sign], (self._literal(),))

    def _missing(self, column: str) -> _Node:
        negated = self._sees("not")
        self.at += negated
        self._take("sign", "missing")
        test = _Test(column, "missing", ())
        return _Joined("not", (test,)) if negated else test

    def _list(self) -> tuple[Any, ...]:
        self._take("sign", "(")
        literals = [self._literal()]
        while self._sees(","):
            self.at += 1
            literals.append(self._literal())
        self._take("sign", ")")
        return tuple(literals)

    def _literal(self) -> Any:
        kind, value = self._peek()
        if kind == "number":
            self.at += 1
            return float(value)
        return self._take("text")[1:-1]


def _refusal(text: str, place: int) -> str:
    return (
        f"condition: not understood from place {place + 1} of {len(text)} on. Write, for example, "
        'sex = "f" and age < 31; names with blanks stand between `backquotes`.'
    )
