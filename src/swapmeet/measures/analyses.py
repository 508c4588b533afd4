"""Measures that a text names: one analysis, or one group of people.

model:income ~ age + C(sex):age     how much the coefficient of age changes
rare:age > 80 and sex = "f"         how many people of a group are still in it
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np

from swapmeet.base.sentences import agree, count, figure, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Family, Score, Undefined
from swapmeet.errors import ParameterError, SchemaError, SwapmeetError, did_you_mean
from swapmeet.measures.base import Measure
from swapmeet.measures.side_by_side.models import Coefficient, compare_model
from swapmeet.tables.conditions import Condition
from swapmeet.tables.formulas import Formula
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

MODEL, RARE = "model:", "rare:"
WRITE_MODEL = (
    "write model:FORMULA:TERM, such as model:income ~ age + C(sex):age; a limit follows as =0.1"
)


class Analysis(Measure):
    """A measure that a text names; `fit_to` refuses a table that it does not suit."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.name, dict(self.__dict__))

    def fit_to(self, table: Table, data: Microdata) -> Self:  # noqa: ARG002
        """The measure for a table, whose columns it speaks of."""
        return self


@dataclass(frozen=True, kw_only=True)
class ModelCoefficient(Analysis):
    """Change of a coefficient of a linear model, as a share of the original's.

    0 for an unchanged release; 1 where the effect is gone, or changed by its own size or more. Of
    a column with several categories the largest change counts.
    """

    family = Family.UTILITY
    question = "How much does this coefficient change?"

    @classmethod
    def check_text(cls, text: str) -> None:
        """Refuse a text that has no formula and term."""
        if not any(True for _ in _split_model(text)):
            raise ParameterError(f"{text!r}: {WRITE_MODEL}.")

    def fit_to(self, table: Table, data: Microdata) -> Self:  # noqa: ARG002
        self._choose(data)
        return self

    def score(self, comparison: Comparison) -> Score:
        formula, term = self._choose(comparison.original)
        try:
            coefficients = compare_model(comparison, formula).coefficients
        except SwapmeetError as reason:
            raise Undefined(str(reason).rstrip(".")) from None
        chosen = [one for one in coefficients if _belongs(one.name, term)]
        if any(one.original == 0.0 for one in chosen):
            raise Undefined("the coefficient of the original is 0")
        worst = max(chosen, key=_compute_change)
        return self.make_score(
            min(_compute_change(worst), 1.0),
            f"In {formula.text}, the coefficient of {worst.name} changes by "
            f"{percent(_compute_change(worst))} of its size, which is "
            f"{figure(abs(worst.shift), 2)} of its standard errors.",
        )

    def _choose(self, data: Microdata) -> tuple[Formula, str]:
        """The formula and the term; a product of columns may be either the one or the other."""
        terms: list[str] = []
        for formula, term in _split_model(self.name):
            formula.check(data)
            terms = formula.design(data, data)[0]
            if any(_belongs(name, term) for name in terms):
                return formula, term
        formula, term = next(_split_model(self.name))
        problem = f"model: {formula.text} has no term {term!r}{did_you_mean(term, terms)}"
        raise SchemaError([f"{problem} It has {', '.join(terms)}."])


@dataclass(frozen=True, kw_only=True)
class RareGroup(Analysis):
    """The share of the people of a group whose own released row still belongs to it.

    1 for an unchanged release; about the group's share of all rows for one whose columns were
    shuffled. It says whether a few conspicuous people can still be recognised by what they are.
    """

    family = Family.RISK
    question = "How many people of this group are still in it?"

    @classmethod
    def check_text(cls, text: str) -> None:
        """Refuse a text that is no condition."""
        Condition(text.removeprefix(RARE))

    @property
    def condition(self) -> Condition:
        """People who belong to the group."""
        return Condition(self.name.removeprefix(RARE))

    def fit_to(self, table: Table, data: Microdata) -> Self:
        """The measure with the columns of the original table that its condition reads."""
        absent = [name for name in self.condition.columns if name not in data.names]
        if absent:
            raise SchemaError(
                f"rare: there is no published column {name!r}{did_you_mean(name, data.names)}"
                for name in absent
            )
        if not self.condition.holds(table).any():
            raise SchemaError([f"{self.name}: nobody in the table meets this condition."])
        copy = type(self)()
        columns = {name: table.plain(name) for name in self.condition.columns}
        object.__setattr__(copy, "_columns", columns)
        return copy

    def score(self, comparison: Comparison) -> Score:
        if not comparison.owners_known:
            raise Undefined("it is not known whose the released rows are")
        before, after = (self._find(data, comparison) for data in _both(comparison))
        group, stayed = int(before.sum()), int((before & after).sum())
        others = int(after.sum()) - stayed
        if not group:
            raise Undefined("nobody in the original meets the condition")
        return self.make_score(
            stayed / group,
            f"{self.condition.text}: of {count(group, 'person', 'people')} {stayed} still "
            f"{agree(stayed, 'meets', 'meet')} it with their own released row; "
            f"{count(others, 'other released row also does', 'other released rows also do')}.",
            interval=of_share(stayed, group, CONFIDENCE),
        )

    def _find(self, data: Microdata, comparison: Comparison) -> Any:
        columns: Mapping[str, Any] = self.__dict__.get("_columns", {})
        try:
            return self.condition.holds(CodedColumns(data, comparison.original, columns))
        except SchemaError as reason:
            raise Undefined(str(reason).rstrip(".")) from None


def is_analysis(name: str) -> bool:
    """Return whether a name is the text of an analysis or of a group."""
    return name.startswith((MODEL, RARE))


def fit_analyses(measures: Iterable[Measure], table: Table, data: Microdata) -> list[Measure]:
    """The measures, those that a text names for this table; `data` are its published columns."""
    return [m.fit_to(table, data) if isinstance(m, Analysis) else m for m in measures]


@cache
def find_analysis(text: str) -> type[Analysis]:
    """The measure that a text names."""
    kind: type[Any] = ModelCoefficient if text.startswith(MODEL) else RareGroup
    kind.check_text(text)
    return type(kind.__name__, (kind,), {"name": text})


def _rebuild(name: str, state: Mapping[str, Any]) -> Analysis:
    made = find_analysis(name)()
    for field, value in state.items():
        object.__setattr__(made, field, value)
    return made


def _split_model(text: str) -> Iterator[tuple[Formula, str]]:
    """Formula and term, for each place where they may part, the longest formula first."""
    pieces = text.removeprefix(MODEL).split(":")
    for at in range(len(pieces) - 1, 0, -1):
        term = ":".join(pieces[at:]).strip()
        try:
            formula = Formula.parse(":".join(pieces[:at]))
        except ParameterError:
            continue
        if term:
            yield formula, term


def _belongs(name: str, term: str) -> bool:
    """Return whether a coefficient is that of a term, or of one of its categories."""
    wanted = term.strip("`")
    if wanted.startswith("C(") and wanted.endswith(")"):
        wanted = wanted[2:-1].strip().strip("`")
    alike = name == wanted.replace(" ", "").replace("**", "^")
    return alike or name == wanted or name.startswith(f"{wanted} (category ")


def _compute_change(coefficient: Coefficient) -> float:
    return float(np.abs(coefficient.released - coefficient.original) / abs(coefficient.original))


def _both(comparison: Comparison) -> tuple[Microdata, Microdata]:
    return comparison.original, comparison.released


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumns:
    """Columns as arrays, for conditions: a value is read where the original has the same.

    `like` has the original's arrays, and `columns` its values, row by row, as they are in the
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
        """Return the sort of values that the column holds."""
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
