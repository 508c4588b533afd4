"""The settings of a method that a search tries."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, Self

from swapmeet.base.params import ByColumn, Count, OneOf, Parameter, Weights, refusal
from swapmeet.errors import ParameterError, UsageError, did_you_mean
from swapmeet.methods import METHODS, Method, PerColumn, find, make
from swapmeet.tables.schema import Kind
from swapmeet.tuning.trial import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from swapmeet.tables.microdata import Microdata

SMALLEST_GROUP = 4
"""Counts such as k or bins go up to the number of rows divided by this."""


@dataclass(frozen=True)
class Grid:
    """All combinations of some values of a method's parameters; the others have their defaults.

    Give `values` by parameter. Without any, the values that the method declares are tried, as far
    as they suit the table. `only` is a method with its setting, perhaps of one's own class, and
    nothing else is tried.

    >>> [setting.label for setting in Grid("rwn", {"k": [5, 10], "q": [0.5]})]
    ['rwn k=5 q=0.5 weights=1', 'rwn k=10 q=0.5 weights=1']
    """

    method: str
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    only: Method | None = None

    def __post_init__(self) -> None:
        if self.only is not None:
            return
        method = find(self.method)
        listed = {name: _read(method, name, given) for name, given in self.values.items()}
        object.__setattr__(self, "values", listed)
        if self.values and not any(True for _ in self):
            make(self.method, {name: values[0] for name, values in listed.items()})

    def __iter__(self) -> Iterator[Setting]:
        return (setting for _, setting in self.points())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def points(self) -> Iterator[tuple[tuple[int, ...], Setting]]:
        """Each setting with the places of its values, without those that the method refuses."""
        if self.only is not None:
            yield (), Setting.of(self.only)
            return
        for place in product(*(range(len(values)) for values in self.values.values())):
            pairs = zip(self.values.items(), place, strict=True)
            setting = self._at({name: values[at] for (name, values), at in pairs})
            if setting is not None:
                yield place, setting

    def _at(self, chosen: Mapping[str, Any]) -> Setting | None:
        try:
            return Setting.of(make(self.method, chosen))
        except ParameterError:
            return None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The grid that a text stands for.

        >>> len(Grid.parse("rwn:k=5|10|25:q=0.5|1"))
        6
        """
        name, *pairs = text.split(":")
        values = {}
        for pair in pairs:
            parameter, sign, listed = pair.partition("=")
            if not sign:
                raise ParameterError(
                    f"{name}: write the values to try as {name}:parameter=1|2|3; got {pair!r}."
                )
            values[parameter.strip()] = [value.strip() for value in listed.split("|")]
        return cls(name.strip(), values)

    def fit_to(self, data: Microdata) -> Grid:
        """The grid itself; if it names no values, the declared ones that suit the table."""
        if self.values or self.only:
            return self
        method = find(self.method)
        declared = {
            p.name: _fit_values(method, p, data)
            for p in method.parameters()
            if p.tries and (_has_nominal(data) or not _is_for_nominal(p))
        }
        return Grid(self.method, declared)


def make_grids(methods: Iterable[Any] | None) -> list[Grid]:
    """Grids of names, texts, classes, methods with their setting, or grids; None are all."""
    if methods is None:
        return [Grid(name) for name in METHODS if name != PerColumn.name]
    if isinstance(methods, (str, Method, Grid)):
        raise UsageError("tune: `methods` must be a list, such as ['rwn', SJPPDS(bins=20)].")
    grids = [_make_grid(method) for method in methods]
    if not grids:
        raise UsageError("tune: name at least one method.")
    return grids


def _make_grid(method: Any) -> Grid:
    if isinstance(method, Grid):
        return method
    if isinstance(method, Method):
        if method.functions:
            raise UsageError(
                f"tune: {method.name} with the function {', '.join(method.functions)} cannot be "
                "searched: trials are written down and made again, which a function cannot be. "
                "Mask and assess with it one setting at a time."
            )
        if method.name in METHODS and type(method) is not METHODS[method.name]:
            raise UsageError(
                f"tune: {type(method).__name__} has the name of another method, {method.name!r}. "
                "Give the class a `name` of its own."
            )
        return Grid(method.name, only=method)
    if isinstance(method, type) and issubclass(method, Method):
        if method.name not in METHODS or METHODS[method.name] is not method:
            return _make_grid(method())
        method = method.name
    if not isinstance(method, str):
        raise UsageError(
            "tune: a method must be a name, a class, a method with its setting or a Grid; "
            f"got a {type(method).__name__}."
        )
    grid = Grid.parse(method)
    if grid.method == PerColumn.name:
        raise UsageError("tune: per-column has no grid; give it as a method with its parts.")
    return grid


def _read(method: type[Method], name: str, given: Any) -> tuple[Any, ...]:
    """The values to try for a parameter, in their plain form."""
    known = {p.name: p for p in method.parameters()}
    if name not in known:
        raise ParameterError(
            f"{method.name}: no parameter {name!r}{did_you_mean(name, known)} "
            f"It has {', '.join(known)}."
        )
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise ParameterError(f"{method.name}: the values to try for `{name}` must be a list.")
    values = []
    for value in given:
        try:
            values.append(known[name].read(value))
        except (TypeError, ValueError):
            raise ParameterError(refusal(method.name, known[name], value)) from None
    if not values:
        raise ParameterError(f"{method.name}: name at least one value to try for `{name}`.")
    return tuple(dict.fromkeys(values)) if all(map(_is_plain, values)) else tuple(values)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (int, float, str))


def _fit_values(method: type[Method], parameter: Parameter, data: Microdata) -> tuple[Any, ...]:
    """The declared values; counts up to a share of the rows, words that suit the columns."""
    if isinstance(parameter.domain, OneOf):
        return _fit_words(method, parameter, data)
    counts = isinstance(parameter.domain, Count) or _counts_by_column(parameter)
    if not counts:
        return parameter.tries
    most = max(data.n // SMALLEST_GROUP, parameter.tries[0])
    return tuple(value for value in parameter.tries if value <= most)


def _fit_words(method: type[Method], parameter: Parameter, data: Microdata) -> tuple[Any, ...]:
    """Select the words with which the method can mask all columns; all of them if none can."""
    suited = [word for word in parameter.tries if _suits(method, {parameter.name: word}, data)]
    return tuple(suited) or parameter.tries


def _suits(method: type[Method], values: Mapping[str, Any], data: Microdata) -> bool:
    try:
        return not make(method.name, values).refused_columns(data)
    except ParameterError:
        return True


def _counts_by_column(parameter: Parameter) -> bool:
    inner = getattr(parameter.domain, "of", None)
    return isinstance(inner, ByColumn) and isinstance(inner.of, Count)


def _is_for_nominal(parameter: Parameter) -> bool:
    return parameter.for_nominal or parameter.domain == Weights()


def _has_nominal(data: Microdata) -> bool:
    return any(v.kind is Kind.NOMINAL for v in data.variables)
