r"""Conditions on the rows of a table, as people write them; nothing in them is ever executed.

sex = "f" and degree in ("PhD", "MD") and age < 31 and not `weeks worked` is missing
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from swapmeet.errors import ParameterError, SchemaError, did_you_mean
from swapmeet.tables.expressions.reader import Reader, hide_texts
from swapmeet.tables.expressions.values import ColumnSource, ExpressionContext, Test

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags

EXAMPLE = 'sex = "f" and age < 31'


@dataclass(frozen=True)
class Condition:
    """A condition, checked for form when it is made; columns are checked when it meets a table.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> people = Table(pd.DataFrame({"age": [25, 40, 70], "sex": ["f", "m", "f"]}))
    >>> Condition('sex = "f" and age < 31').holds(people).tolist()
    [True, False, False]
    """

    text: str
    _tree: Test = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tree = Reader(self.text, "condition", EXAMPLE).read_test()
        object.__setattr__(self, "_tree", tree)
        if not self.columns:
            raise ParameterError(f"condition: it speaks of no column. Write, say, {EXAMPLE}.")

    @property
    def shown(self) -> str:
        """As it is written, without the texts in it."""
        return hide_texts(self.text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of."""
        return tuple(dict.fromkeys(self._tree.columns()))

    def holds(self, table: ColumnSource) -> Flags:
        """Return whether it holds, row by row; for a missing value, only `is missing` holds."""
        return self._tree.hold(self._prepare(table))

    def breaks(self, table: ColumnSource) -> Flags:
        """Return the rows that break it as a rule; where a missing value leaves it open, none do.

        >>> import pandas as pd
        >>> from swapmeet.tables.frame import Table
        >>> people = Table(pd.DataFrame({"age": [15, 15, 40], "status": ["single", None, "wed"]}))
        >>> Condition('age >= 18 or status = "single"').breaks(people).tolist()
        [False, False, False]
        >>> Condition("age >= 18").breaks(people).tolist()
        [True, True, False]
        """
        return self._tree.judge(self._prepare(table)).false

    def _prepare(self, table: ColumnSource) -> ExpressionContext:
        problems = [
            f"condition: there is no column {name!r}{did_you_mean(name, table.names)}"
            for name in self.columns
            if name not in table.names
        ]
        if problems:
            raise SchemaError(problems)
        return ExpressionContext(table, len(table.plain(self.columns[0])))
