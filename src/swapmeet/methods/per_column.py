"""A different method for different columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

from swapmeet.algorithms.blocks import Grouping
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.notes import mark_part
from swapmeet.base.parallel import Workers
from swapmeet.base.params import Domain
from swapmeet.base.seeds import Streams
from swapmeet.base.sentences import join_names
from swapmeet.errors import ParameterError
from swapmeet.intruders.evidence import Evidence, Likelihood
from swapmeet.methods.base import Columns, Method
from swapmeet.methods.description import Description
from swapmeet.release.donors import DonorMap
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column, Schema

Part = tuple[Method, tuple[str, ...]]
OWN = "settings"
"""Where a part's table has the settings whose names the table needs itself, such as `columns`."""


@dataclass(frozen=True)
class Parts(Domain):
    """Pairs of a method and the names of its columns."""

    @property
    def rule(self) -> str:
        return "be pairs (method, column names), at least one, each column named once"

    def convert(self, value: Any) -> tuple[Part, ...]:
        parts = tuple((method, _names(columns)) for method, columns in value)
        names = [name for _, columns in parts for name in columns]
        methods = [method for method, _ in parts]
        if not names or not all(columns for _, columns in parts):
            raise ValueError
        if len(set(names)) < len(names) or not all(isinstance(m, Method) for m in methods):
            raise ValueError
        return parts

    def parse(self, text: str) -> tuple[Part, ...]:
        raise ValueError(text)


@dataclass(frozen=True, kw_only=True)
class PerColumn(Method):
    """Each set of columns is masked by a method of its own, which sees no other columns.

    Columns that no part names stay as they are.

    >>> import swapmeet as sm
    >>> hybrid = sm.PerColumn(parts=[
    ...     (sm.RWN(k=5), ["age", "bmi", "bp"]),
    ...     (sm.RWN(k=20, weights=0.05), ["sex", "target"]),
    ... ])
    >>> sm.mask(sm.datasets.load("diabetes"), hybrid, seed=1).data.shape
    (442, 11)
    """

    name = "per-column"
    title = "different methods for different columns"
    summary = "a different method for different columns (in a run file or in Python)"
    leaves = "Columns in no part stay as they are."

    parts: Annotated[tuple[Part, ...], Parts(), "pairs of a method and the columns it masks"]

    @property
    def description(self) -> Description:
        parts = [(m.name, join_names(names), m.description) for m, names in self.parts]
        return Description(
            title=self.title,
            people=" ".join(f"As for {columns}: {part.people}" for _, columns, part in parts),
            analysts="Columns that are masked by different methods are masked one without regard "
            "to the other.",
            cautions=(
                "Columns that no part names are released as they are.",
                "What is said about each method holds for its columns.",
                *(
                    f"{columns} ({name}): {caution}"
                    for name, columns, part in parts
                    for caution in part.cautions
                ),
            ),
        )

    @property
    def submethods(self) -> tuple[Part, ...]:
        return self.parts

    @property
    def named_columns(self) -> tuple[str, ...]:
        named = [(*names, *method.named_columns) for method, names in self.parts]
        return tuple(dict.fromkeys(name for names in named for name in names))

    def adapt(self, columns: Columns) -> PerColumn | None:
        """The parts that have some of these columns."""
        parts = [
            (method.adapt(columns), tuple(new for name in names for new in columns.get(name, ())))
            for method, names in self.parts
        ]
        kept = tuple((method, names) for method, names in parts if method is not None and names)
        return PerColumn(parts=kept) if kept else None

    def find_context(self, schema: Schema) -> tuple[str, ...]:
        names = (name for method, _ in self.parts for name in method.find_context(schema))
        return tuple(dict.fromkeys(names))

    @property
    def functions(self) -> tuple[str, ...]:
        return tuple(name for method, _ in self.parts for name in method.functions)

    @property
    def looks_at(self) -> tuple[str, ...]:
        names = (name for method, _ in self.parts for name in method.looks_at)
        return tuple(dict.fromkeys(names))

    def masks(self, column: Column) -> bool:
        return any(column.name in names and method.masks(column) for method, names in self.parts)

    def strengthen(self, times: float) -> PerColumn | None:
        """The parts that can be, with stronger settings, and the others as they are."""
        parts = [(method.strengthen(times), method, names) for method, names in self.parts]
        if not any(stronger for stronger, _, _ in parts):
            return None
        return PerColumn(parts=tuple((one or method, names) for one, method, names in parts))

    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        donors = DonorMap.identity(data.n, len(data.variables)).matrix
        made: dict[str, Floats] = {}
        stuck: dict[str, Ints] = {}
        facts: list[str] = []
        notes: list[str] = []
        for number, (method, names) in enumerate(self.parts):
            at = [data.names.index(name) for name in names]
            below = streams.within(number, method.name)
            part = method.outcome(_select(data, names), below, workers)
            donors[:, at] = part.donors.matrix
            made |= part.made
            stuck |= part.stuck
            facts += mark_part(part.facts, number)
            notes += mark_part(part.notes, number)
        return Outcome(DonorMap(donors), made, stuck, tuple(facts), tuple(notes))

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Return what each method gives away about its own columns."""
        parts = [(method, _select_seen(seen, names)) for method, names in self.parts]
        return tuple(piece for method, part in parts if part.names for piece in method.attack(part))

    def refused_columns(self, data: Microdata) -> tuple[str, ...]:
        return tuple(
            name
            for method, names in self.parts
            for name in method.refused_columns(data.select(n for n in names if n in data.names))
        )

    def fewest_rows(self, data: Microdata) -> int:
        return max(method.fewest_rows(_select(data, names)) for method, names in self.parts)

    def check(self, data: Microdata) -> None:
        data.require_names([name for _, names in self.parts for name in names], self.name)
        for method, names in self.parts:
            method.check(_select(data, names))

    @property
    def makes_values(self) -> bool:
        return any(method.makes_values for method, _ in self.parts)

    @property
    def is_random(self) -> bool:
        return any(method.is_random for method, _ in self.parts)

    @property
    def keeps_owners(self) -> bool:
        return any(method.keeps_owners for method, _ in self.parts)

    @property
    def moves_units(self) -> bool:
        return all(method.moves_units for method, _ in self.parts)

    @property
    def needs_all_rows(self) -> bool:
        return any(method.needs_all_rows for method, _ in self.parts)

    @property
    def grouping(self) -> Grouping | None:
        """Groups in space are of some columns only, and blocks stay random; strata stay whole."""
        groupings = [groups for method, _ in self.parts if (groups := method.grouping) is not None]
        return next((groups for groups in groupings if groups.space is None), None)

    @property
    def is_synthetic(self) -> bool:
        return any(method.is_synthetic for method, _ in self.parts)

    def settings(self) -> dict[str, Any]:
        """For the run file: a list of tables, each with a method's name, columns and settings."""
        return {"parts": [_to_table(method, names) for method, names in self.parts]}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """From the run file's list of tables."""
        from swapmeet.methods import make

        if set(settings) != {"parts"} or not isinstance(settings["parts"], list):
            raise ParameterError(
                "per-column: give `parts`, a list of tables with name and columns."
            )
        parts: list[Part] = []
        for part in settings["parts"]:
            facts = dict(part) if isinstance(part, Mapping) else {}
            name, columns = facts.pop("name", None), facts.pop("columns", None)
            if not isinstance(name, str) or not isinstance(columns, list):
                raise ParameterError("per-column: each part needs `name` and a list of `columns`.")
            facts |= facts.pop(OWN, {})
            parts.append((make(name, facts), tuple(columns)))
        return cls(parts=tuple(parts))


def _select(data: Microdata, names: Iterable[str]) -> Microdata:
    """The columns of a part; it may look at those of the others."""
    return _add_context(data.select(names), data)


def _select_seen(seen: Evidence, names: Iterable[str]) -> Evidence:
    part = seen.select(names)
    return replace(part, people=_add_context(part.people, seen.people))


def _add_context(part: Microdata, data: Microdata) -> Microdata:
    others = tuple(v for v in data.variables if v.name not in part.names)
    return replace(part, context=(*data.context, *others))


def _to_table(method: Method, names: tuple[str, ...]) -> dict[str, Any]:
    table, settings = {"name": method.name, "columns": list(names)}, method.settings()
    own = {name: settings.pop(name) for name in table if name in settings}
    return {**table, **settings, **({OWN: own} if own else {})}


def _names(columns: object) -> tuple[str, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError
    names = tuple(columns)
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return names
