"""The legal values of record swapping's lists of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from swapmeet.core.base.params import Domain, Names


@dataclass(frozen=True)
class Profiles(Domain):
    """Lists of columns, in order of preference.

    >>> Profiles().parse("size, type; size")
    (('size', 'type'), ('size',))
    """

    @property
    def rule(self) -> str:
        return (
            "be names of columns, or lists of them in order of preference; as a text, columns with "
            "commas and lists with semicolons, such as 'size,type;size'"
        )

    def convert(self, value: Any) -> tuple[tuple[str, ...], ...]:
        if isinstance(value, str):
            raise ValueError
        profiles = tuple(value)
        if profiles and all(isinstance(name, str) for name in profiles):
            profiles = (profiles,)
        if not profiles:
            raise ValueError
        return tuple(_convert_names(profile) for profile in profiles)

    def parse(self, text: str) -> tuple[tuple[str, ...], ...]:
        return self.convert([_parse_names(profile) for profile in text.split(";")])


@dataclass(frozen=True)
class NamesOrNone(Domain):
    """Names of columns, each once, or none at all."""

    @property
    def rule(self) -> str:
        return "be names of columns, each once, or an empty list"

    def convert(self, value: Any) -> tuple[str, ...]:
        return _convert_names(value)

    def parse(self, text: str) -> tuple[str, ...]:
        return _convert_names(_parse_names(text))


def _convert_names(value: Any) -> tuple[str, ...]:
    names = tuple(value)
    return Names().convert(names) if names or isinstance(value, str) else ()


def _parse_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")] if text.strip() else []
