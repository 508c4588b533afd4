"""A release that stands in a database's transaction and waits for the word to stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import Origin


@dataclass(frozen=True)
class Staged:
    """A table that nobody else sees until it is committed, and what is to be said of it."""

    run: Callable[[str], None]
    notes: tuple[str, ...] = ()

    def commit(self) -> None:
        """Make it stay."""
        self.run("commit")


def refuse_existing(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that is there, unless it may be replaced."""
    if not overwrite:
        raise UsageError(
            f"{place}: the table exists already. Choose another name, or give --overwrite to "
            "replace it."
        )


def refuse_source(
    place: DatabaseTable, origin: Origin | None, identity: tuple[str, ...]
) -> None:
    """Refuse to replace the table that is masked, however it is addressed."""
    if origin is not None and origin.kind == place.kind and origin.identity == identity:
        raise UsageError(
            f"{place}: is an input of this run and is never overwritten. Give the release another "
            "name."
        )


def list_nullable(
    ask: Callable[[str], list[tuple[Any, ...]]], source: str, required: Sequence[bool]
) -> set[int]:
    """Which of the columns that need values lack some, by number."""
    wanted = [at for at, needed in enumerate(required) if needed]
    if not wanted:
        return set()
    counts = ", ".join(f"count(*) - count(c{at})" for at in wanted)
    (answer,) = ask(f"select {counts} from {source}")
    return {at for at, lacking in zip(wanted, answer, strict=True) if lacking}
