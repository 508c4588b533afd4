"""A case: a file that somebody is making ready for publication, and what they said of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from swapmeet.app.intruders import find_level
from swapmeet.plan.plan import Plan, read_codes
from swapmeet.plan.question import Question
from swapmeet.plan.sections import Input, Prepare
from swapmeet.tables.ties import Ties

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.tables.role import Role

TEXTS = ("missing", "recode", "together", "derive", "rule")
"""What is said of columns in lines, each as an option of the command line has it."""
TABLE = ("reading", "roles", "kinds", "publish", "whole_households", *TEXTS)
"""What a release depends on besides the method."""
ATTACK = ("intruder", "known", "limits")
"""What its figures and its verdict depend on besides."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A file and the way to read it; roles, ties, intruder, limits; and the decision.

    `roles` and `kinds` hold what was chosen, by column; columns that are not named have what
    `inspect` guessed. Without `limits`, those count that are usual for such a table. `revision`
    counts the changes, so that a page that is out of date is noticed.
    """

    key: str = ""
    name: str
    source: str
    uploaded: bool = False
    opened: float = 0.0
    reading: Mapping[str, Any] = field(default_factory=dict)
    proposed: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    publish: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    recode: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    derive: tuple[str, ...] = ()
    rule: tuple[str, ...] = ()
    whole_households: bool = False
    intruder: str = "register"
    known: tuple[str, ...] | None = None
    limits: Mapping[str, float] | None = None
    candidate: int | None = None
    reason: str = ""
    revision: int = 0

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.source)

    def change(self, **changes: Any) -> Self:
        """The case with changes; it has a new revision if there are any."""
        changed = replace(self, **changes)
        return self if changed == self else replace(changed, revision=self.revision + 1)

    def role_of(self, column: str, guessed: str) -> str:
        """The role that was chosen for a column, or the guess."""
        return self.roles.get(column, guessed)

    def having(self, role: Role) -> list[str]:
        """The columns that were given a role."""
        return [name for name, given in self.roles.items() if given == role]

    def make_plan(self, guessed: Mapping[str, str]) -> Plan:
        """What was said of the table; kinds only where they are not as `guessed`."""
        for_all, codes = read_codes(self.missing)
        columns: dict[str, dict[str, Any]] = {}
        for name, role in self.roles.items():
            columns[name] = {"role": role}
        for name, kind in self.kinds.items():
            if kind != guessed.get(name):
                columns.setdefault(name, {})["kind"] = kind
        for name in self.publish:
            columns.setdefault(name, {})["publish"] = True
        for name, own in codes.items():
            columns.setdefault(name, {})["missing"] = own
        return Plan(
            input=Input(**self.reading, missing=tuple(for_all)),
            prepare=Prepare(recode=self.recode, whole_households=self.whole_households),
            columns=columns,
            ties=Ties(
                together=tuple(tuple(text.split(",")) for text in self.together),
                derive=self.derive, rules=self.rule,
            ),
        )  # fmt: skip

    def make_question(self) -> Question:
        """What the intruder knows, and the limits."""
        return Question(
            known=self.known, intruder=str(find_level(self.intruder)), limits=self.limits
        )

    @property
    def question(self) -> dict[str, Any]:
        """All that figures depend on besides the method: candidates are comparable if it agrees."""
        content = self.to_dict()
        return {name: content[name] for name in (*TABLE, *ATTACK)}

    def under(self, question: Mapping[str, Any]) -> Self:
        """The case as it was when a candidate was made."""
        return self.from_dict({**self.to_dict(), **question})

    def to_dict(self) -> dict[str, Any]:
        """As it is kept."""
        content = asdict(self)
        return {n: list(v) if isinstance(v, tuple) else v for n, v in content.items()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        known = {one.name for one in fields(cls)}
        own: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in content.items()
            if name in known
        }
        return cls(**own)
