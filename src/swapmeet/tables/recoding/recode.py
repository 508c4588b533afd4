"""A step of recoding: a column, and what becomes of its values before anything else is done."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from swapmeet.errors import ParameterError, did_you_mean, warn
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.recoding.plan import RecodePlan
from swapmeet.tables.recoding.recoded import Recoded
from swapmeet.tables.recoding.steps import (
    COMPARISONS,
    UNITS,
    Bound,
    Coarsen,
    Cut,
    GroupRare,
    GroupValues,
    Round,
    Step,
    SuppressBeyond,
    SuppressRare,
    SuppressValues,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from swapmeet.tables.roles import Code
    from swapmeet.tables.schema import Schema


@dataclass(frozen=True)
class Recode:
    """A column and a step, and the text that stands for both.

    `missing` are codes of the column that stand for a missing value: no step changes them, unless
    it names them.

    >>> Recode.parse("income: top 100000").sentence
    'income was top-coded at 100000 (what lay above became 100000)'
    >>> Recode.parse("school: group primary, lower = low").step.words
    'grouped: 2 named values became 1'
    """

    text: str
    column: str
    step: Step
    missing: tuple[Code, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Recode:
        """From a text such as «age: top 80»; nothing in it is executed."""
        if not isinstance(text, str):
            raise ParameterError(
                f"recode: a step is a text such as 'age: top 80'; got a {type(text).__name__}."
            )
        column, step = split_column(text)
        return cls(text.strip(), column, parse_step(step))

    @property
    def sentence(self) -> str:
        """Say what was done to the column; values of people are counted, not named."""
        return f"{self.column} was {self.step.words}"

    @property
    def names_people(self) -> bool:
        """Return whether the text names values that are to be hidden."""
        return isinstance(self.step, SuppressValues)


def read_recodes(schema: Schema) -> tuple[Recode, ...]:
    """The steps of a schema, in order, which know the missing codes of their columns."""
    return tuple(
        replace(recode, missing=schema[recode.column].missing)
        for recode in parse_recodes(schema.recodes)
    )


def parse_recodes(texts: Iterable[str] | str) -> tuple[Recode, ...]:
    """The steps that texts stand for, in order."""
    return tuple(Recode.parse(text) for text in ([texts] if isinstance(texts, str) else texts))


EXAMPLES = {
    "top": "age: top 80",
    "bottom": "age: bottom 18",
    "round": "income: round 1000",
    "cut": "age: cut 0, 18, 30, 65",
    "group": "school: group primary, lower = low; upper = high",
    "suppress": "income: suppress >= 1000000",
}
WORDS = (*EXAMPLES, *UNITS)
_TOKEN = re.compile(
    r"""\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<sign>[<>]=?|[=,;])|(?P<bare>[^<>=,;]+))\s*"""
)
MOST_DIGITS = 18
"""Of a number of rows."""
_RARE = re.compile(r"rare\s+(\S+)")


class Token(NamedTuple):
    """A sign, or a value; a value in quotes is taken as it is."""

    text: str
    is_sign: bool = False
    is_quoted: bool = False


def split_column(text: str) -> tuple[str, str]:
    """The column and what is to be done to it; a name with a colon stands in quotes."""
    quoted = re.match(r"""\s*(?:"([^"]*)"|'([^']*)')\s*:(.*)""", text, re.DOTALL)
    if quoted:
        return quoted[1] or quoted[2] or "", quoted[3].strip()
    name, colon, rest = text.partition(":")
    if not colon or not name.strip() or not rest.strip():
        raise ParameterError(
            f"recode: write COLUMN: STEP, such as '{EXAMPLES['top']}'; got {text!r}."
        )
    return name.strip(), rest.strip()


def parse_step(text: str) -> Step:
    """The step that a text such as «top 80» stands for."""
    word, _, rest = text.partition(" ")
    if word in UNITS:
        return Coarsen(word) if not rest.strip() else refuse(word, text)
    if word not in WORDS:
        raise ParameterError(
            f"recode: there is no step {word!r}{did_you_mean(word, WORDS)} The steps are "
            f"{', '.join(WORDS)}."
        )
    return _PARSERS[word](word, text, _split(rest))


def refuse(word: str, text: str) -> NoReturn:
    """Say how a step is written."""
    example = EXAMPLES.get(word, f"birth: {word}")
    raise ParameterError(f"recode: {text!r} is not understood; write, for example, '{example}'.")


def _split(text: str) -> list[Token]:
    tokens = []
    for match in _TOKEN.finditer(text):
        if match["sign"]:
            tokens.append(Token(match["sign"], is_sign=True))
        elif match["bare"] is not None:
            tokens += [Token(match["bare"].strip())] if match["bare"].strip() else []
        else:
            quoted = match["double"] if match["double"] is not None else match["single"]
            tokens.append(Token(quoted, is_quoted=True))
    return tokens


def _parse_bound(word: str, text: str, tokens: list[Token]) -> Step:
    if len(tokens) != 1 or tokens[0].is_sign:
        refuse(word, text)
    bound = tokens[0].text
    return Round(bound) if word == "round" else Bound(word, bound)


def _parse_cut(word: str, text: str, tokens: list[Token]) -> Step:
    return Cut(_list_values(word, text, tokens))


def _parse_group(word: str, text: str, tokens: list[Token]) -> Step:
    parts = [_parse_one_group(word, text, part) for part in _part(tokens, ";")]
    rare = [_find_rare(old[0]) if len(old) == 1 else None for _, old in parts]
    if len(parts) == 1 and rare[0] is not None:
        return GroupRare(rare[0], parts[0][0])
    groups = tuple((name, tuple(token.text for token in old)) for name, old in parts)
    _require_once(text, [value for _, old in groups for value in old])
    return GroupValues(groups)


def _parse_one_group(word: str, text: str, tokens: list[Token]) -> tuple[str, list[Token]]:
    sides = _part(tokens, "=")
    if len(sides) != 2 or len(sides[1]) != 1 or sides[1][0].is_sign:
        refuse(word, text)
    _list_values(word, text, sides[0])
    return sides[1][0].text, [token for token in sides[0] if not token.is_sign]


def _parse_suppress(word: str, text: str, tokens: list[Token]) -> Step:
    if tokens and tokens[0].is_sign and tokens[0].text in COMPARISONS:
        if len(tokens) != 2 or tokens[1].is_sign:
            refuse(word, text)
        return SuppressBeyond(tokens[0].text, tokens[1].text)
    if tokens and tokens[0] == Token("=", is_sign=True):
        tokens = tokens[1:]
    if len(tokens) == 1 and (rare := _find_rare(tokens[0])) is not None:
        return SuppressRare(rare)
    values = _list_values(word, text, tokens)
    _require_once(text, list(values))
    return SuppressValues(values)


_PARSERS = {
    "top": _parse_bound,
    "bottom": _parse_bound,
    "round": _parse_bound,
    "cut": _parse_cut,
    "group": _parse_group,
    "suppress": _parse_suppress,
}


def _find_rare(token: Token) -> int | None:
    """The number of rows in «rare 5»; None of any other value."""
    match = None if token.is_quoted else _RARE.fullmatch(token.text)
    if not match:
        return None
    digits = match[1]
    if not digits.isdecimal() or len(digits) > MOST_DIGITS or int(digits) < 2:
        raise ParameterError(
            "recode: 'rare' needs a number of rows, 2 or more, as in 'job: suppress rare 5'."
        )
    return int(digits)


def _part(tokens: list[Token], sign: str) -> list[list[Token]]:
    """The tokens between signs; an empty end is left out."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.is_sign and token.text == sign:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if len(parts) == 1 or parts[-1] else parts[:-1]


def _list_values(word: str, text: str, tokens: list[Token]) -> tuple[str, ...]:
    """Values with commas between them."""
    values, commas = tokens[::2], tokens[1::2]
    wrong = any(token.is_sign for token in values) or any(t.text != "," for t in commas)
    if wrong or not values or len(values) != len(commas) + 1:
        refuse(word, text)
    return tuple(token.text for token in values)


def _require_once(text: str, values: list[str]) -> None:
    if len(set(values)) < len(values):
        raise ParameterError(f"recode: {text!r} names a value twice; name each once.")


def recode_table(table: Table, recodes: Sequence[Recode]) -> Recoded[Table]:
    """The table after the steps; a step that cannot be, or leaves nothing, is refused."""
    if not recodes:
        return Recoded(table)
    RecodePlan(tuple(recodes)).require_columns(table.names)
    plan = RecodePlan.settle(recodes, lambda so_far, recode: so_far.count_levels(table, recode))
    native, tally = plan.apply(table)
    return Recoded(Table(native), plan, plan.conclude(tally))


def recode(data: Frame, *steps: str) -> Any:
    """The table with values recoded, step by step, as a frame of the same library.

    A step is a column and what becomes of it: "age: top 80", "age: bottom 18", "income: round
    1000", "age: cut 0, 18, 30, 65", "school: group primary, lower = low; upper = high", "birth:
    month" (or year, quarter, week, day, hour), "income: suppress >= 1000000", "job: suppress rare
    5", "job: group rare 5 = other". Types stay: dates stay dates, categories stay categories.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [17, 42, 93], "job": ["cook", "cook", "pilot"]})
    >>> recode(people, "age: top 80", "age: round 5").age.tolist()
    [15, 40, 80]
    """
    done = recode_table(Table.of(data), parse_recodes(steps))
    for note in done.notes:
        warn(note)
    return done.data.native
