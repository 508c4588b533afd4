"""Knowledge of intruders: the levels a curator can choose from."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from swapmeet.base.sentences import join_names
from swapmeet.errors import ParameterError

MANY_COLUMNS = 5


class Knowledge(StrEnum):
    """Knowledge of an intruder, and about whom; how the table was masked is taken as known."""

    TARGET = "target"
    KEYS = "keys"
    EVERYTHING = "everything"

    @property
    def words(self) -> str:
        """For a curator who has to choose."""
        return _WORDS[self]

    @classmethod
    def parse(cls, text: str) -> Knowledge:
        """The level of this name."""
        try:
            return cls(text)
        except ValueError:
            raise ParameterError(
                f"intruder: must be one of {', '.join(cls)}; got {text!r}."
            ) from None


_WORDS = {
    Knowledge.TARGET: "knows the keys of the person sought",
    Knowledge.KEYS: "knows the keys of everybody",
    Knowledge.EVERYTHING: "knows everything of everybody",
}


def list_names(names: Iterable[str]) -> str:
    """Columns in words; many are counted rather than named.

    >>> list_names(["age", "sex", "region"])
    'age, sex and region'
    """
    listed = tuple(names)
    if len(listed) > MANY_COLUMNS:
        return f"{len(listed)} columns"
    return join_names(listed)
