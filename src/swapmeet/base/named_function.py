"""A function of the user's, which records and texts know by its name only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, repr=False)
class NamedFunction:
    """A function; whatever is written down of it is its qualified name.

    >>> NamedFunction(len)
    builtins.len
    """

    function: Callable[..., Any]

    @property
    def qualified_name(self) -> str:
        """Its module and its name there; the class of an object that can be called."""
        named = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        return f"{getattr(named, '__module__', None) or '?'}.{named.__qualname__}"

    def __call__(self, *given: Any) -> Any:
        return self.function(*given)

    def __repr__(self) -> str:
        return self.qualified_name
