"""Protection that was raised for single people after their table was masked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.sentences import count, count_in_100
from swapmeet.release.audit_files import StoredMethod, describe_method

ARRAYS = ("step_of_row", "row_of_person", "protected", "exposed")


@dataclass(frozen=True, repr=False, eq=False)
class Protection:
    """Record of who was protected by which step: a part of the audit record, never published.

    `steps` are the methods that traded again, in order; None is a step that suppressed cells.
    `step_of_row[i]` is the number, from 1 up, of the last step that treated row i of
    `Release.data`; 0 is none. `row_of_person` has the row that counts as each person's: what moved
    as one when the table was masked no longer does after a step. `protected` are the people for
    whom protection was raised, `exposed` those who are still above the limit.
    """

    steps: tuple[Any, ...]
    step_of_row: Ints
    row_of_person: Ints
    protected: Ints
    exposed: Ints

    def __repr__(self) -> str:
        return f"<Protection of {len(self.protected)} people: secret>"

    @property
    def step_of_person(self) -> Ints:
        """The number of the last step that treated the row of each person; 0 is none."""
        return self.step_of_row[self.row_of_person]

    @property
    def sentence(self) -> str:
        """For how many people protection was raised, and how many are left; for insiders."""
        left = f"{len(self.exposed):,}" if len(self.exposed) else "none"
        return (
            f"Protection was raised for {count(len(self.protected), 'person', 'people')} after "
            f"masking, in {count(len(self.steps), 'step')}; {left} of all people "
            f"{'is' if len(self.exposed) == 1 else 'are'} still above the limit."
        )

    def describe(self) -> list[dict[str, Any] | None]:
        """The steps, as a file has them."""
        return [describe_method(step) for step in self.steps]

    def list_arrays(self) -> dict[str, Ints]:
        """List the other arrays of a file, by name."""
        return {f"protection_{name}": getattr(self, name) for name in ARRAYS}

    @classmethod
    def read(cls, facts: list[Mapping[str, Any] | None] | None, stored: Any, n: int) -> Self | None:
        """From a file; None where nobody was protected by name."""
        if facts is None:
            return None
        arrays = {name: np.asarray(stored[f"protection_{name}"], np.int64) for name in ARRAYS}
        whole = len(arrays["step_of_row"]) == n
        whole &= np.array_equal(np.sort(arrays["row_of_person"]), np.arange(n))
        listed = np.concatenate([arrays["protected"], arrays["exposed"]])
        whole &= bool(((listed >= 0) & (listed < n)).all())
        numbers = arrays["step_of_row"]
        if not whole or not ((numbers >= 0) & (numbers <= len(facts))).all():
            raise ValueError
        return cls(tuple(StoredMethod.read(step) for step in facts), **arrays)


@dataclass(frozen=True, kw_only=True)
class ProtectionStep:
    """Result of one step, in figures that reveal nothing about single people.

    `exposed` is how many people were above the limit when it began, `left` how many after it;
    `rows` and `cells` are how many released rows and cells it changed. A step that was undone,
    for `why`, left the release as it was.
    """

    what: str
    exposed: int
    left: int
    rows: int
    cells: int
    loss: float
    taken: bool = True
    why: str = ""

    @property
    def sentence(self) -> str:
        """In words."""
        left = count(self.left, "person", "people")
        clause = f"{self.what}: {self.exposed:,} → {left} above the limit"
        if not self.taken:
            return f"{clause}; undone, for {self.why}"
        return f"{clause}, {count(self.cells, 'cell')} changed, loss {self.loss:.3f}"


@dataclass(frozen=True, kw_only=True)
class ProtectionSummary:
    """Public summary of the protection that was raised for single people.

    Of `people`, `sought` were looked for; `exposed` of these were above the `limit` after masking,
    `left` are after the last step. `protected` are those for whom something was done. `marked` rows
    show that they were treated: their cells are missing. `stopped` says why no further step was
    taken. `aware` has the share of people that intruders find who know of the protection, by what
    they know of it: special treatment leaves traces of its own.
    """

    people: int
    sought: int
    limit: float
    loss_limit: float | None
    exposed: int
    protected: int
    left: int
    marked: int
    loss_before: float
    loss_after: float
    steps: tuple[ProtectionStep, ...] = ()
    stopped: str = ""
    aware: Mapping[str, float] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings that a run file holds, so that the run can be repeated."""
        loss = {} if self.loss_limit is None else {"loss": float(self.loss_limit)}
        return {"exposed": True, "linkage": float(self.limit), **loss}

    @property
    def sentence(self) -> str:
        """Say how many people were protected, how, and how many are left."""
        if not self.exposed:
            return f"Nobody of {self.sought:,} people was above the limit: nothing was raised."
        above = f"{self.exposed:,} of {count(self.sought, 'person', 'people')}"
        if not self.protected:
            be = "is" if self.exposed == 1 else "are"
            return (
                f"Protection was raised for nobody: {above} {be} above the limit of "
                f"{self.limit:g}, and {self.stopped}."
            )
        ways = "; ".join(dict.fromkeys(step.what for step in self.steps if step.taken))
        people = count(self.protected, "person", "people")
        were = "was" if self.exposed == 1 else "were"
        left = "nobody is" if not self.left else "1 is" if self.left == 1 else f"{self.left:,} are"
        return (
            f"Protection was raised for {people} ({ways}): after masking {above} {were} above the "
            f"limit of {self.limit:g}, now {left}.{self._tell_of_others()}"
        )

    def _tell_of_others(self) -> str:
        """People who were not above the limit at first, but were treated, too."""
        others = self.protected - self.exposed
        stood = "stood out only when others had been treated"
        return f" {count(others, 'person', 'people')} {stood}." if others > 0 else ""

    def tell_awareness(self) -> Iterator[str]:
        """Say what the protection itself gives away."""
        for who, share in self.aware.items():
            yield f"An intruder who {who} finds {count_in_100(share)} of 100 people."
        if self.marked:
            yield (
                f"{self.marked:,} rows show by missing cells that their people stood out, or that "
                "they were to hide such rows."
            )

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "sentence": self.sentence}
