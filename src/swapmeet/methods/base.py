"""Base of every masking method: parameters, and a rule that gives each cell a donor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from swapmeet.algorithms.blocks import Grouping
from swapmeet.algorithms.neighbors import Neighborhood
from swapmeet.base.arrays import Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.params import ByColumn, Domain, Names, Optional, Parameters, Tries
from swapmeet.base.seeds import Streams
from swapmeet.errors import SchemaError, SwapmeetError
from swapmeet.intruders.evidence import (
    ATTACK,
    UNSURE,
    Evidence,
    Likelihood,
    NeighborLists,
    NeighborShares,
)
from swapmeet.methods.description import Description
from swapmeet.release.outcome import Outcome
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Column, Kind, Schema

ALL_KINDS = frozenset(Kind)
GROUP_SIZES = Tries(2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
"""Sizes of groups that a search tries."""
WITH_ORDER = frozenset({Kind.NUMERIC, Kind.ORDINAL})


@dataclass(frozen=True, kw_only=True)
class Method(Parameters):
    """A masking method; its fields are its parameters.

    `takes` are the kinds of columns it can mask. `leaves` says which keys and sensitive columns
    stay as they are, if any do. `remedy` says how to let a column change more; of the settings that
    do so, `grows` are those of which more protects more, `shrinks` those of which less does. All
    that reports say about a method is what it says about itself: `title`, its full name, `summary`
    and `description`.
    """

    name: ClassVar[str]
    title: ClassVar[str] = "a masking method"
    summary: ClassVar[str]
    takes: ClassVar[frozenset[Kind]] = ALL_KINDS
    leaves: ClassVar[str] = ""
    remedy: ClassVar[str] = ""
    grows: ClassVar[tuple[str, ...]] = ()
    shrinks: ClassVar[tuple[str, ...]] = ()

    @property
    def description(self) -> Description:
        """Return what the method, with these settings, says about itself for people."""
        return Description(title=self.title)

    @property
    def submethods(self) -> tuple[tuple[Method, tuple[str, ...]], ...]:
        """The methods that it combines, each with its columns; most methods combine none."""
        return ()

    @property
    def makes_values(self) -> bool:
        """Return whether it may release values that nobody had, with these settings."""
        return False

    @property
    def is_random(self) -> bool:
        """Return whether another seed gives another release."""
        return True

    @property
    def keeps_owners(self) -> bool:
        """Return whether the row in a person's place is about them; synthetic rows are not."""
        return True

    @property
    def is_synthetic(self) -> bool:
        """Return whether cells of some columns are drawn for nobody in particular."""
        return not self.keeps_owners

    @property
    def moves_units(self) -> bool:
        """Return whether it sees all rows with their units, and moves whole units itself.

        Any other is run once per level, on one row per unit.
        """
        return False

    @property
    def needs_all_rows(self) -> bool:
        """Return whether it must see the whole table at once, and cannot work block by block."""
        return False

    @property
    def neighborhood(self) -> Neighborhood | None:
        """Return the rule for neighbours, if sought among all rows; then blocks are near in space.

        Without it, blocks are random. Such a method gives outcomes for `own` rows only.
        """
        return None

    @property
    def grouping(self) -> Grouping | None:
        """Return its way to group rows, if blocks shall hold those that are near in space.

        Such blocks have no guests: a row near the wall of a block trades inside it.
        """
        return None

    @abstractmethod
    def outcome(self, data: Microdata, streams: Streams, workers: Workers) -> Outcome:
        """A donor, or a made value, for each cell of `data`; `check` has found nothing wrong."""

    def attack(self, seen: Evidence) -> tuple[Likelihood, ...]:
        """Return the likelihoods that a released row is in a person's place, knowing this method.

        One piece for each column that it masks, or for each set of columns that moves as one. Who
        does not override this is attacked by trying the method out, time and again.
        """
        return simulate_attack(self, seen)

    def find_context(self, schema: Schema) -> tuple[str, ...]:  # noqa: ARG002
        """The columns that it looks at without masking them, with these settings."""
        return ()

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of functions of the user's among its settings."""
        functions = (getattr(self, p.name) for p in self.parameters() if p.in_python_only)
        return tuple(one.qualified_name for one in functions if one is not None)

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Columns, dropped ones perhaps, that its settings name and that it does not mask."""
        return ()

    def masks(self, column: Column) -> bool:
        """Return whether it moves, makes or suppresses values of a column, with these settings."""
        return column.role.masked

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that its settings name."""
        return list_named_columns(self)

    def restrict(self, names: Collection[str]) -> Method | None:
        """The method as it masks a table with only these columns; None where it masks none."""
        return self.adapt({name: (name,) for name in names})

    def adapt(self, columns: Columns) -> Method | None:
        """The method for a table with other columns in the place of those that settings name.

        None where it masks nothing there.
        """
        return replace(self, **adapt_settings(self, columns))

    def strengthen(self, times: float) -> Method | None:
        """The method with settings that let values travel so many times as far; None without any.

        It masks people again whom this one did not hide well enough.
        """
        more = scale_settings(self, self.grows, times)
        less = scale_settings(self, self.shrinks, 1.0 / times)
        return replace(self, **more, **less) if more or less else None

    def refused_columns(self, data: Microdata) -> tuple[str, ...]:
        """The columns of `data` that the method cannot mask."""
        return tuple(v.name for v in data.variables if v.kind not in self.takes)

    def fewest_rows(self, data: Microdata) -> int:  # noqa: ARG002
        """The rows that a stratum of `data` needs: of those with fewer, nobody can trade as said.

        Positions in the household that have fewer are joined.
        """
        return 2

    def check(self, data: Microdata) -> None:
        """Refuse, before any work, what the method cannot mask."""
        by_kind: dict[Kind, list[str]] = {}
        for name in self.refused_columns(data):
            by_kind.setdefault(data[name].kind, []).append(name)
        if by_kind:
            raise SchemaError(self._refusal(kind, names) for kind, names in by_kind.items())

    def can_mask(self, data: Microdata) -> bool:
        """Return whether `check` lets a table pass."""
        try:
            self.check(data)
        except SwapmeetError:
            return False
        return True

    def _refusal(self, kind: Kind, names: list[str]) -> str:
        one = len(names) == 1
        able = [m.name for m in _other_methods() if kind in m.takes]
        return (
            f"{self.name} cannot mask {', '.join(map(repr, names))}, "
            f"{f'a {kind} column' if one else f'{kind} columns'}; it takes "
            f"{' and '.join(kind for kind in Kind if kind in self.takes)} ones. "
            f"{', '.join(able)} can: combine methods with per-column, or give "
            f"{'it' if one else 'them'} the role keep or drop."
        )


def _other_methods() -> list[type[Method]]:
    """All methods but the one that consists of others."""
    from swapmeet.methods import METHODS

    return [method for method in METHODS.values() if method.name != "per-column"]


WHOLE = 1.0
"""A share that would be more than all is all."""


def scale_settings(settings: Parameters, names: Iterable[str], factor: float) -> dict[str, Any]:
    """Scale the named settings that can be so many times as large, and return their new values.

    Settings that are not given, and those that stay as they are, are left out.

    >>> import swapmeet as sm
    >>> scale_settings(sm.RWN(k=5, eps=0.0, q=0.7), ["k", "eps", "q"], 2)
    {'k': 10, 'q': 1.0}
    """
    domains = {parameter.name: parameter.domain for parameter in settings.parameters()}
    scaled = {}
    for name in names:
        old = getattr(settings, name)
        new = _convert(domains[name], _scale(old, factor))
        if new is not None and new != old:
            scaled[name] = new
    return scaled


def _scale(value: Any, factor: float) -> Any:
    if isinstance(value, Mapping):
        return {name: _scale(one, factor) for name, one in value.items()}
    if value is None or isinstance(value, bool):
        return None
    return max(round(value * factor), 1) if isinstance(value, int) else value * factor


def _convert(domain: Any, value: Any) -> Any:
    """The value as the setting takes it, or all of a share; None where neither is legal."""
    if value is None:
        return None
    whole = dict.fromkeys(value, WHOLE) if isinstance(value, Mapping) else WHOLE
    for one in (value, whole):
        try:
            return domain.convert(one)
        except (ValueError, TypeError):
            continue
    return None


Columns = Mapping[str, tuple[str, ...]]
"""Map each column to those in its place."""


def list_named_columns(settings: Parameters) -> tuple[str, ...]:
    """The columns that settings name, each once."""
    lists = [_names_in(domain, value) for domain, value in _settings_of(settings).values()]
    return tuple(dict.fromkeys(name for names in lists for name in names))


def adapt_settings(settings: Parameters, columns: Columns) -> dict[str, Any]:
    """The settings that name columns, for a table that has others in their place.

    `columns` has the new names of each; those of columns that it does not have are left out. None
    is what is left of names of which none is there.

    >>> import swapmeet as sm
    >>> adapt_settings(sm.RWN(weights={"age": 1.0, "sex": 0.1}), {"age": ("age", "age of 2nd")})
    {'weights': {'age': 1.0, 'age of 2nd': 1.0}}
    """
    return {
        field: _adapt(domain, value, columns)
        for field, (domain, value) in _settings_of(settings).items()
        if _names_in(domain, value)
    }


def _settings_of(settings: Parameters) -> dict[str, tuple[Domain, Any]]:
    """Map the name of each parameter to its domain and value."""
    return {
        p.name: (p.domain.of if isinstance(p.domain, Optional) else p.domain,
                 getattr(settings, p.name))
        for p in settings.parameters()
    }  # fmt: skip


def _names_in(domain: Domain, value: Any) -> tuple[str, ...]:
    if isinstance(domain, Names):
        return tuple(value or ())
    return tuple(value) if isinstance(domain, ByColumn) and isinstance(value, Mapping) else ()


def _adapt(domain: Domain, value: Any, columns: Columns) -> Any:
    if isinstance(domain, ByColumn):
        return {new: one for name, one in value.items() for new in columns.get(name, ())}
    return tuple(new for name in value for new in columns.get(name, ())) or None


TRIES = 30


def simulate_attack(method: Method, seen: Evidence, tries: int = TRIES) -> tuple[Likelihood, ...]:
    """Counts of each value in each person's cell when the intruder masked what they know.

    Values that are made, and suppressed ones, say nothing. Where the method cannot mask the few
    columns that the intruder knows, there is no attack.
    """
    if not seen.complete and not method.can_mask(seen.people):
        return ()
    donors = [_mask(method, seen, number) for number in range(tries)]
    pieces = []
    for column, name in enumerate(seen.names):
        who = np.stack([matrix[:, column] for matrix in donors], axis=1)
        if (who < 0).all() or _is_in_place(who):
            continue
        codes = seen.code(name)
        lists = NeighborLists.of_draws(who.astype(np.int32))
        pieces.append(NeighborShares((name,), codes, lists, doubt=UNSURE))
    return tuple(pieces)


def _mask(method: Method, seen: Evidence, number: int) -> Ints:
    return method.outcome(seen.people, ATTACK.within(number), seen.workers).donors.matrix


def _is_in_place(who: Ints) -> bool:
    return bool((who == np.arange(len(who))[:, np.newaxis]).all())
