"""A step of recoding: a column, and what becomes of its values before anything else is done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from swapmeet.core.tables.recoding.grammar import parse_step, split_column
from swapmeet.core.tables.recoding.suppression import SuppressValues
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.core.tables.missing_codes import Code
    from swapmeet.core.tables.recoding.step import Step
    from swapmeet.core.tables.schema import Schema


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
