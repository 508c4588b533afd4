"""Step of recoding: a rule that gives every value another one, or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from swapmeet.tables.recoding.cells import Cells


@dataclass(frozen=True)
class Step(ABC):
    """A rule by which each value of a column becomes another one, or missing.

    `covers` tells that every value must have a place; one that has none is refused. `rare` is a
    number of rows where the rule depends on how often values occur.
    """

    covers: ClassVar[bool] = False

    @property
    def rare(self) -> int | None:
        """Levels of fewer rows are meant, if the step is about rare ones."""
        return None

    @property
    @abstractmethod
    def words(self) -> str:
        """Say what the column was, such as «top-coded at 80»; no value of a person is named."""

    @abstractmethod
    def change(self, cells: Cells) -> Any:
        """The cells as an Arrow array of the same type."""

    def settle(self, rare: Any) -> Step:  # noqa: ARG002
        """The step for a table in which the values `rare` are those that are meant."""
        return self


@dataclass(frozen=True)
class NamingStep(Step):
    """A rule for values that it names; the curator is told of those that occur in no row."""

    @abstractmethod
    def named(self, cells: Cells) -> Any:
        """The values that the step names and that should occur, as an array."""


@dataclass(frozen=True)
class RareStep(Step):
    """A rule for levels of fewer rows than `least`; `levels` are those of the table at hand."""

    least: int
    levels: Any = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def rare(self) -> int:
        return self.least

    def settle(self, rare: Any) -> Self:
        return replace(self, levels=rare)
