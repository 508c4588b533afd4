"""A table that was recoded, and what each step did to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from swapmeet.base.sentences import count

if TYPE_CHECKING:
    from swapmeet.tables.recoding.plan import RecodePlan

Data = TypeVar("Data")


@dataclass(frozen=True)
class StepResult:
    """A step, as it was written and in words, and how many values it changed."""

    text: str
    column: str
    sentence: str
    changed: int
    unmet: int = 0

    @property
    def fact(self) -> str:
        """Say what was done, for people; values of people are counted, not named."""
        return f"before masking, {self.sentence} ({count(self.changed, 'value')} changed)."

    @property
    def notes(self) -> tuple[str, ...]:
        """List what the curator should look at."""
        if not self.changed:
            return (f"recode: {self.sentence}, but no value changed. Is the step as it should be?",)
        if not self.unmet:
            return ()
        occur = "occurs" if self.unmet == 1 else "occur"
        named = count(self.unmet, "named value")
        return (f"recode: {self.sentence}, but {named} {occur} in no row. Is the spelling right?",)

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"column": self.column, "sentence": self.sentence, "changed": self.changed}


@dataclass(frozen=True, repr=False)
class Recoded(Generic[Data]):
    """A table after the steps of a plan, as an engine takes it, and what each step did."""

    data: Data
    plan: RecodePlan | None = None
    results: tuple[StepResult, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """Say what was done."""
        return tuple(result.fact for result in self.results)

    @property
    def notes(self) -> tuple[str, ...]:
        """List what the curator should look at."""
        return tuple(note for result in self.results for note in result.notes)
