"""A setting of a method, and one trial of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from swapmeet.errors import ParameterError
from swapmeet.measures.overall import SORTED
from swapmeet.measures.registry import MEASURES
from swapmeet.methods import METHODS, Method, PerColumn, make
from swapmeet.methods.description import Description

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.params import Parameter

SHOWN = 3
"""Columns of a part of a combination that are named."""


@dataclass(frozen=True)
class Setting:
    """A method and the values of its parameters.

    >>> import swapmeet as sm
    >>> Setting.of(sm.RWN(k=10, q=0.5)).label
    'rwn k=10 q=0.5 weights=1'
    """

    name: str
    settings: Mapping[str, Any]
    own: Method | None = field(default=None, repr=False)

    @classmethod
    def of(cls, method: Method) -> Self:
        """The setting of a method, which may be the user's `own`."""
        return cls(method.name, method.settings(), None if is_listed(method) else method)

    @cached_property
    def method(self) -> Method:
        """The method, ready to mask."""
        if self.own is not None:
            return self.own
        if not self.is_known:
            raise ParameterError(
                f"{self.name} is a method of your own, whose class a journal does not hold. Call "
                "`tune` with it and this journal, and go on from the study that it returns."
            )
        return make(self.name, self.settings)

    @property
    def is_known(self) -> bool:
        """Return whether the method's class is known; from a file, a user's own is not."""
        return self.own is not None or self.name in METHODS

    @property
    def is_random(self) -> bool:
        """Return whether another repeat may give other figures."""
        return not self.is_known or self.method.is_random

    @property
    def title(self) -> str:
        """The full name of the method; empty where nobody gave it one."""
        title = self.method.description.title if self.is_known else Description.title
        return "" if title == Description.title else title

    @property
    def family(self) -> tuple[str, ...]:
        """The method; of a combination, all its methods."""
        parts = self.method.submethods if self.name == PerColumn.name else ()
        return (self.name, *(method.name for method, _ in parts))

    @cached_property
    def key(self) -> str:
        """One text for one setting."""
        return json.dumps([self.name, self.settings], sort_keys=True)

    @cached_property
    def label(self) -> str:
        """For people: what a search tries, unless it is off, and what differs from the defaults."""
        parts = self.method.submethods if self.name == PerColumn.name else ()
        if parts:
            shares = (f"{Setting.of(method).label} on {_list(names)}" for method, names in parts)
            return f"{self.name}: {'; '.join(shares)}"
        shown = self.settings
        if self.is_known:
            shown = {
                p.name: self.settings[p.name]
                for p in self.method.parameters()
                if p.name in self.settings and _is_shown(p, self.settings[p.name])
            }
        return " ".join([self.name, *(f"{name}={_format(value)}" for name, value in shown.items())])

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Setting) and self.key == other.key


def is_listed(method: Method) -> bool:
    """Return whether a method is one of Swapmeet's, with all its parts, and not the user's own."""
    parts = method.submethods if isinstance(method, PerColumn) else ()
    return METHODS.get(method.name) is type(method) and all(is_listed(one) for one, _ in parts)


@dataclass(frozen=True)
class Trial:
    """One release that was made, measured and thrown away.

    `values` has a figure for each measure, NaN where it was not defined, and `ends` the
    unfavourable end of its interval, by which limits are judged, where there is one; NaN where the
    figure hides a part of the risk. A method that refuses the table leaves a `failure`, its
    message. Rows that are not `owned` are synthetic; measures that need owners are not defined
    then. A `check` measures a repeat again, in full, as far as the search had only a first look.
    """

    setting: Setting
    repeat: int
    seconds: float
    values: Mapping[str, float]
    failure: str = ""
    owned: bool = True
    ends: Mapping[str, float] = field(default_factory=dict)
    check: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As a line of a journal; what is not defined is null."""
        record: dict[str, Any] = {
            "method": self.setting.name,
            "settings": dict(self.setting.settings),
            "repeat": self.repeat,
            "seconds": round(self.seconds, 4),
            **({"check": True} if self.check else {}),
        }
        if self.failure:
            return {**record, "failure": self.failure}
        return {
            **record,
            "owned": self.owned,
            "values": _write_figures(self.values),
            "ends": _write_figures(
                {name: end for name, end in self.ends.items() if end != self.values[name]}
            ),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read a line of a journal; KeyError or TypeError for anything else.

        Older journals have no ends, and of synthetic rows the values of worst-case sorting in the
        place of those that need owners; these are left out.
        """
        owned = bool(record.get("owned", True))
        values = _read_figures(record.get("values", {}))
        if not owned:
            values |= {name: np.nan for name in values if f"{name}{SORTED}" in MEASURES}
        return cls(
            Setting(str(record["method"]), dict(record["settings"])),
            int(record["repeat"]),
            float(record["seconds"]),
            values,
            str(record.get("failure", "")),
            owned,
            _read_figures(record.get("ends", {})),
            bool(record.get("check", False)),
        )


TrialJob = tuple[Setting, int] | tuple[Setting, int, bool]
"""A setting to try, the number of the repeat, and whether it is to be measured in full."""


def _write_figures(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(figure) else figure for name, figure in figures.items()}


def _read_figures(stored: Mapping[str, float | None]) -> dict[str, float]:
    return {str(n): np.nan if figure is None else float(figure) for n, figure in stored.items()}


def _is_shown(parameter: Parameter, value: Any) -> bool:
    """Return whether a label shows a value: one that is tried and not 0, or not the default."""
    is_off = isinstance(value, float) and value == 0.0
    return value != parameter.default or (bool(parameter.tries) and not is_off)


def _list(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    some, more = names[:SHOWN], len(names) - SHOWN
    return ", ".join(some) + (f" and {more} more" if more > 0 else "")


def _format(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        return ",".join(f"{name}:{_format(one)}" for name, one in value.items())
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
