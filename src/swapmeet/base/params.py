"""Parameters that know their domains.

A method declares each parameter once, as a field whose annotation carries its domain and its
meaning. Validation, the command line, the run file and the documentation are derived from that.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

from swapmeet.base.named_function import NamedFunction
from swapmeet.errors import ParameterError, did_you_mean


class Domain(ABC):
    """The legal values of a parameter."""

    @property
    @abstractmethod
    def rule(self) -> str:
        """Return the rule in words that follow «must»."""

    @abstractmethod
    def convert(self, value: Any) -> Any:
        """The value in its plain form; ValueError where it is not legal."""

    def parse(self, text: str) -> Any:
        """The value that `text` stands for; ValueError where it stands for none."""
        return self.convert(text)

    def json_schema(self) -> dict[str, Any]:
        """What a JSON schema can say of the legal values."""
        return {}


@dataclass(frozen=True)
class Count(Domain):
    """A whole number of things, at most so many where `most` says so."""

    minimum: int = 1
    most: int | None = None

    @property
    def rule(self) -> str:
        if self.most is None:
            return f"be a whole number, {self.minimum} or more"
        return f"be a whole number from {self.minimum} to {self.most}"

    def convert(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise ValueError
        number = int(value)
        if number < self.minimum or (self.most is not None and number > self.most):
            raise ValueError
        return number

    def parse(self, text: str) -> int:
        return self.convert(int(text))

    def json_schema(self) -> dict[str, Any]:
        most = {} if self.most is None else {"maximum": self.most}
        return {"type": "integer", "minimum": self.minimum, **most}


@dataclass(frozen=True)
class Number(Domain):
    """A finite number between bounds; `above` excludes the lower bound."""

    low: float = 0.0
    high: float = math.inf
    above: bool = False

    @property
    def rule(self) -> str:
        if math.isinf(self.high):
            bound = f" above {self.low:g}" if self.above else f", {self.low:g} or more"
            return f"be a finite number{bound}"
        return f"be in {'(' if self.above else '['}{self.low:g}, {self.high:g}]"

    def convert(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise ValueError
        number = _to_float(value)
        if not math.isfinite(number) or not self.low <= number <= self.high:
            raise ValueError
        if self.above and number == self.low:
            raise ValueError
        return number

    def parse(self, text: str) -> float:
        return self.convert(float(text))

    def json_schema(self) -> dict[str, Any]:
        most = {} if math.isinf(self.high) else {"maximum": self.high}
        return {"type": "number", "exclusiveMinimum" if self.above else "minimum": self.low, **most}


def _to_float(value: Any) -> float:
    """The nearest double; infinite where it is beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def is_count(value: object, least: int) -> bool:
    """Return whether it is a plain whole number from `least` up."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def Fraction(*, above: bool = False) -> Number:  # noqa: N802
    """A share between 0 and 1: 0.15, never 15."""
    return Number(0.0, 1.0, above=above)


@dataclass(frozen=True)
class OneOf(Domain):
    """One of a few words."""

    choices: tuple[str, ...]

    @property
    def rule(self) -> str:
        return f"be one of {', '.join(self.choices)}"

    def convert(self, value: Any) -> str:
        if value not in self.choices:
            raise ValueError
        return str(value)

    def json_schema(self) -> dict[str, Any]:
        return {"enum": list(self.choices)}


HEAVIEST = 1e6
"""The largest weight of a column; its square must stay far from overflow."""


@dataclass(frozen=True)
class ByColumn(Domain):
    """`{column: value}` with values of another domain, or one value for all columns it is for."""

    of: Domain
    one_for: str = "all columns"

    @property
    def rule(self) -> str:
        pairs = f": one for {self.one_for}, or column=value pairs" if self.one_for else ""
        return f"{self.of.rule}{pairs}"

    def convert(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            if not all(isinstance(name, str) for name in value):
                raise ValueError
            return {name: self.of.convert(number) for name, number in value.items()}
        return self.of.convert(value)

    def parse(self, text: str) -> Any:
        if "=" not in text:
            return self.of.parse(text)
        pairs = [pair.rpartition("=") for pair in text.split(",")]
        return {name.strip(): self.of.parse(value) for name, _, value in pairs}

    def json_schema(self) -> dict[str, Any]:
        own = self.of.json_schema()
        return {"anyOf": [own, {"type": "object", "additionalProperties": own}]}


def Weights() -> ByColumn:  # noqa: N802
    """Weights of columns in a distance; one number is that of all nominal columns."""
    return ByColumn(Number(0.0, HEAVIEST), "all nominal columns")


@dataclass(frozen=True)
class _DistinctNames(Domain):
    """Names of columns, each once."""

    @property
    def rule(self) -> str:
        return "be names of columns, each once"

    def convert(self, value: Any) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError
        names = tuple(value)
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError
        if len(set(names)) < len(names):
            raise ValueError
        return names

    def parse(self, text: str) -> tuple[str, ...]:
        return self.convert([name.strip() for name in text.split(",")])

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}, "minItems": 1}


class Names(_DistinctNames):
    """Names of columns that a method masks, each once."""


class OtherNames(_DistinctNames):
    """Names of columns that a method looks at and does not mask, each once."""


@dataclass(frozen=True)
class ColumnName(Domain):
    """The name of one column."""

    @property
    def rule(self) -> str:
        return "be the name of a column"

    def convert(self, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError
        return value


@dataclass(frozen=True)
class Switch(Domain):
    """Yes or no."""

    @property
    def rule(self) -> str:
        return "be true or false"

    def convert(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    def parse(self, text: str) -> bool:
        words = {"true": True, "yes": True, "false": False, "no": False}
        if text.lower() not in words:
            raise ValueError
        return words[text.lower()]

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class PythonFunction(Domain):
    """A function of the user's; no text stands for one."""

    @property
    def rule(self) -> str:
        return (
            "be a function, which is given in Python; the command line and run files cannot hold "
            "one, so mask, and repeat it, in Python with the function"
        )

    def convert(self, value: Any) -> NamedFunction:
        if isinstance(value, NamedFunction):
            return value
        if not callable(value):
            raise ValueError
        return NamedFunction(value)

    def parse(self, text: str) -> NamedFunction:
        raise ValueError(text)


@dataclass(frozen=True)
class Optional(Domain):
    """A value of another domain, or None."""

    of: Domain

    @property
    def rule(self) -> str:
        return self.of.rule

    def convert(self, value: Any) -> Any:
        return None if value is None else self.of.convert(value)

    def parse(self, text: str) -> Any:
        return self.of.parse(text)

    def json_schema(self) -> dict[str, Any]:
        return self.of.json_schema()


class Tries:
    """The values worth trying in a search for the best setting, in order.

    Those `for_nominal` are tried only if the table has nominal columns.
    """

    def __init__(self, *values: Any, for_nominal: bool = False) -> None:
        self.values = values
        self.for_nominal = for_nominal


BOTH = Tries(*(False, True))
"""Try a switch on and off."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method, as declared.

    `tries` are the values that a search tries; `for_nominal`: only if there are nominal columns.
    """

    name: str
    domain: Domain
    meaning: str
    default: Any
    tries: tuple[Any, ...] = ()
    for_nominal: bool = False

    @property
    def in_python_only(self) -> bool:
        """Return whether no text can hold its value."""
        domain = self.domain.of if isinstance(self.domain, Optional) else self.domain
        return isinstance(domain, PythonFunction)

    @property
    def required(self) -> bool:
        """Return whether it has no default."""
        return self.default is dataclasses.MISSING

    def read(self, value: Any) -> Any:
        """The value in its plain form, also from a text; ValueError where it is not legal."""
        return (self.domain.parse if isinstance(value, str) else self.domain.convert)(value)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Base of everything that has parameters: checks them all when it is made."""

    def __new__(cls, *positional: object, **settings: Any) -> Self:
        problems = [*cls._list_unknown(settings), *cls._list_lacking(settings)]
        if positional:
            problems = [f"{cls.label()}: give parameters by name. {cls._list_known()}", *problems]
        if problems:
            raise ParameterError("\n".join(problems))
        return super().__new__(cls)

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), {p.name: getattr(self, p.name) for p in self.parameters()}

    def __post_init__(self) -> None:
        problems = []
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            try:
                object.__setattr__(self, parameter.name, parameter.domain.convert(value))
            except (TypeError, ValueError):
                problems.append(refusal(self.label(), parameter, value))
        if problems:
            raise ParameterError("\n".join(problems))

    @classmethod
    def label(cls) -> str:
        """The name that messages use: that of the command line where it has one."""
        name = getattr(cls, "name", None)
        return name if isinstance(name, str) else cls.__name__

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The parameters in the order of their declaration."""
        if cls not in _DECLARED:
            hints = get_type_hints(cls, include_extras=True)
            fields = dataclasses.fields(cls)
            _DECLARED[cls] = tuple(_declared(field, hints[field.name]) for field in fields)
        return _DECLARED[cls]

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Make one from a run file's table or from command line options, which are texts."""
        known = {parameter.name: parameter for parameter in cls.parameters()}
        problems = cls._list_unknown(settings)
        values = {}
        for name in (name for name in known if name in settings):
            try:
                values[name] = known[name].read(settings[name])
            except (TypeError, ValueError):
                problems.append(refusal(cls.label(), known[name], settings[name]))
        problems += cls._list_lacking(settings)
        if problems:
            raise ParameterError("\n".join(problems))
        return cls(**values)

    @classmethod
    def _list_known(cls) -> str:
        return f"It has {', '.join(p.name for p in cls.parameters()) or 'none'}."

    @classmethod
    def _list_unknown(cls, names: Iterable[str]) -> list[str]:
        known = [parameter.name for parameter in cls.parameters()]
        return [
            f"{cls.label()}: no parameter {name!r}{did_you_mean(name, known)} {cls._list_known()}"
            for name in names
            if name not in known
        ]

    @classmethod
    def _list_lacking(cls, names: Collection[str]) -> list[str]:
        return [
            f"{cls.label()}: `{parameter.name}` must be given: {parameter.meaning}."
            for parameter in cls.parameters()
            if parameter.required and parameter.name not in names
        ]

    def settings(self) -> dict[str, Any]:
        """The values that differ from nothing: all but None, in order of declaration."""
        values = {p.name: getattr(self, p.name) for p in self.parameters()}
        return {name: _plain(value) for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    """As a run file or JSON gives it back; of a function they have the name."""
    if isinstance(value, NamedFunction):
        return value.qualified_name
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


_DECLARED: dict[type, tuple[Parameter, ...]] = {}


def _declared(field: dataclasses.Field[Any], hint: Any) -> Parameter:
    if get_origin(hint) is not Annotated:
        raise TypeError(f"parameter {field.name!r} declares no domain")
    _, domain, meaning, *others = get_args(hint)
    tries = others[0] if others else Tries()
    default = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return Parameter(field.name, domain, meaning, default, tries.values, tries.for_nominal)


def refusal(owner: str, parameter: Parameter, value: Any) -> str:
    """Return why a parameter of `owner` cannot have this value."""
    return f"{owner}: `{parameter.name}` must {parameter.domain.rule}; got {_shown(value)}."


def _shown(value: Any) -> str:
    """A refused value; only its type where it may hold data, such as a table given by mistake."""
    members = [*value, *value.values()] if isinstance(value, dict) else [value]
    try:
        shown = repr(value) if all(isinstance(m, _PLAIN) for m in members) else ""
    except ValueError:
        return "a number of thousands of digits"
    return shown if 0 < len(shown) <= _LONGEST else f"a {type(value).__name__}"


_PLAIN = (numbers.Number, str, type(None))
_LONGEST = 80
