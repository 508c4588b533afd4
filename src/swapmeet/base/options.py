"""Settings that know how people meet them: an option declares each once.

A field whose annotation carries an `Option` is a setting of a job. The command line, the run file,
its JSON schema and the reference are made from these declarations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Self, get_args, get_origin, get_type_hints

from swapmeet.errors import did_you_mean

AT_ONCE = 500
"""So many names of columns stand in one option at most."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """What a setting means, and how it is written.

    `called` is the name of its option on the command line, where that is not the name of the field,
    and `flags` are its spellings, where these are not derived from it. `shown` is what help shows
    as its default, and `panel` where help lists it. Without `typed` the setting has no option of
    its own, and without `kept` no place in a run file.
    """

    meaning: str
    metavar: str = "TEXT"
    panel: str | None = None
    shown: str = ""
    called: str = ""
    flags: str = ""
    choices: tuple[str, ...] = ()
    least: int | None = None
    typed: bool = True
    kept: bool = True


class Declared(NamedTuple):
    """One setting as it was declared: `kind` is the type of its values, None aside."""

    name: str
    kind: Any
    default: Any
    option: Option

    @property
    def called(self) -> str:
        """The name of its option."""
        return self.option.called or self.name


_WORDS: dict[Any, tuple[str, str]] = {
    str: ("text in quotes", "string"), bool: ("true or false", "boolean"),
    int: ("a whole number", "integer"), float: ("a number", "number"),
}  # fmt: skip
"""The types of settings: in words, and in a JSON schema."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a plan: settings that belong together, each declared once.

    >>> class Taste(Section):
    ...     pass
    >>> Taste().to_dict()
    {}
    """

    def __bool__(self) -> bool:
        return bool(self.to_dict())

    @classmethod
    def declared(cls) -> tuple[Declared, ...]:
        """The settings, in the order of their declaration."""
        return _declare(cls)  # type: ignore[arg-type]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Pick the settings from the options of a command; None is what nobody said."""
        values = {one.name: given[one.called] for one in cls.declared()
                  if one.option.typed and given.get(one.called) is not None}  # fmt: skip
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})

    @classmethod
    def read(cls, content: Mapping[str, Any], where: str, problems: list[str]) -> Self:
        """Read what a run file says; what is wrong with it is added to the problems."""
        kept = {one.name: one for one in cls.declared() if one.option.kept}
        problems += list_unknown_settings(content, tuple(kept), f"setting of [{where}]")
        known = {name: value for name, value in content.items() if name in kept}
        wrong = {name for name, value in known.items() if not is_of_kind(value, kept[name].kind)}
        problems += [f"[{where}]: `{name}` must be {describe_kind(kept[name].kind)}."
                     for name in known if name in wrong]  # fmt: skip
        problems += [
            f"[{where}]: `{name}` must be one of {', '.join(kept[name].option.choices)}."
            for name, value in known.items()
            if name not in wrong and kept[name].option.choices
            and value not in kept[name].option.choices
        ]  # fmt: skip
        return cls(**{n: _freeze(v) for n, v in known.items() if n not in wrong})

    def to_dict(self) -> dict[str, Any]:
        """For a run file: what was said, and no more."""
        values = {one.name: getattr(self, one.name) for one in self.declared()
                  if one.option.kept and getattr(self, one.name) != one.default}  # fmt: skip
        return {name: _thaw(value) for name, value in values.items()}

    def over(self, base: Self) -> Self:
        """These settings, and those of `base` where nothing is said here."""
        mine = {one.name: getattr(self, one.name) for one in self.declared()
                if getattr(self, one.name) != one.default}  # fmt: skip
        return type(self)(**{one.name: getattr(base, one.name) for one in self.declared()} | mine)

    def list_words(self) -> list[str]:
        """The settings as options of the command line."""
        return [
            word
            for one in self.declared()
            if one.option.typed and getattr(self, one.name) != one.default
            for word in write_words(one, getattr(self, one.name))
        ]

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """What a run file may say in this section, for editors."""
        kept = (one for one in cls.declared() if one.option.kept)
        return close_schema({one.name: describe_setting(one) for one in kept})


def write_words(one: Declared, value: Any) -> list[str]:
    """Write a setting as options of the command line.

    >>> header = Declared("header", bool, None, Option(meaning="", flags="--header/--no-header"))
    >>> write_words(header, False)
    ['--no-header']
    """
    flags = (one.option.flags or f"--{one.called.replace('_', '-')}").split("/")
    if one.kind is bool:
        return [flags[0] if value else flags[-1]]
    if isinstance(value, Mapping):
        texts = [",".join(f"{name}={each:g}" for name, each in value.items()) or "none"]
    elif isinstance(value, (list, tuple)):
        texts = part_names(value) if one.option.metavar == "NAMES" else [*map(str, value)]
    else:
        texts = [str(value)]
    return [word for text in texts for word in write_pair(flags[0], text)]


def part_names(names: Sequence[str]) -> list[str]:
    """Names of columns as texts of one option; systems limit how long a word may be.

    >>> part_names(["id", "name"]), part_names(["a,b", "c"])
    (['id,name'], ['a,b', 'c'])
    """
    if any("," in name for name in names):
        return list(names)
    return [",".join(names[at : at + AT_ONCE]) for at in range(0, len(names), AT_ONCE)]


def write_pair(option: str, text: str) -> list[str]:
    """Write an option with its text; one that begins with a dash would be taken for an option.

    >>> write_pair("--drop", "id"), write_pair("--drop", "-id")
    (['--drop', 'id'], ['--drop=-id'])
    """
    return [f"{option}={text}"] if text.startswith("-") else [option, text]


def close_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Make the JSON schema of a table that has these settings and no others."""
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def describe_setting(one: Declared) -> dict[str, Any]:
    """Describe a setting as a JSON schema does."""
    choices = {"enum": list(one.option.choices)} if one.option.choices else {}
    return {"description": one.option.meaning, **_find_json_type(one.kind), **choices}


def list_unknown_settings(
    content: Mapping[str, Any], known: tuple[str, ...], what: str
) -> list[str]:
    """List what a table of a run file says beyond what is known, with what was probably meant."""
    return [
        f"unknown {what} {name!r}{did_you_mean(name, known)} Known: {', '.join(known)}."
        for name in content
        if name not in known
    ]


def is_of_kind(value: Any, kind: Any) -> bool:
    """Return whether a value is of a kind; a whole number is a number, and true is none."""
    if get_origin(kind) is tuple:
        each = get_args(kind)[0]
        return isinstance(value, (list, tuple)) and all(is_of_kind(one, each) for one in value)
    if isinstance(kind, UnionType):
        return any(is_of_kind(value, one) for one in get_args(kind))
    if get_origin(kind) is Mapping:
        each = get_args(kind)[1]
        return isinstance(value, Mapping) and all(is_of_kind(v, each) for v in value.values())
    return type(value) is kind or (kind is float and type(value) is int)


def describe_kind(kind: Any) -> str:
    """Name the values of a kind.

    >>> describe_kind(int), describe_kind(tuple[str, ...])
    ('a whole number', 'a list of texts in quotes')
    """
    if get_origin(kind) is tuple:
        each = get_args(kind)[0]
        return "a list of texts in quotes" if each is str else "a list"
    return _WORDS[kind][0] if kind in _WORDS else "a table"


def _find_json_type(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _find_json_type(get_args(kind)[0])}
    if isinstance(kind, UnionType):
        return {"type": [_WORDS[one][1] for one in get_args(kind)]}
    if get_origin(kind) is Mapping:
        return {"type": "object", "additionalProperties": _find_json_type(get_args(kind)[1])}
    return {"type": _WORDS[kind][1]}


def find_options(declaration: Any) -> tuple[Declared, ...]:
    """List the options that the annotations of a class declare.

    >>> from typing import TypedDict
    >>> class Roles(TypedDict):
    ...     key: Annotated[str, Option(meaning="An intruder may know it.")]
    >>> [(one.name, one.option.meaning) for one in find_options(Roles)]
    [('key', 'An intruder may know it.')]
    """
    hints = get_type_hints(declaration, include_extras=True)
    return tuple(
        Declared(name, _strip_none(get_args(hint)[0]), None, option)
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
        for option in get_args(hint)[1:]
        if isinstance(option, Option)
    )


@cache
def _declare(section: type[Section]) -> tuple[Declared, ...]:
    defaults = {one.name: one.default for one in fields(section)}
    return tuple(
        one._replace(default=None if defaults[one.name] is MISSING else defaults[one.name])
        for one in find_options(section)
    )


def _strip_none(hint: Any) -> Any:
    if not isinstance(hint, UnionType) or NoneType not in get_args(hint):
        return hint
    left = [one for one in get_args(hint) if one is not NoneType]
    kind: Any = left[0]
    for one in left[1:]:
        kind |= one
    return kind


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _thaw(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(map(_thaw, value)) if isinstance(value, tuple) else value
