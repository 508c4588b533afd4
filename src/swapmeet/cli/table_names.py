"""--table: the names of tables, where the addresses of databases do not have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.errors import UsageError
from swapmeet.io.database import DatabaseTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.io.place import Place


def name_tables(places: Sequence[Place], names: Sequence[str] | None) -> list[Place]:
    """The places, in the order of the command; each database without a table takes the next name.

    >>> from swapmeet.io.place import find_place
    >>> both = [find_place("sqlite:///a.db"), find_place("sqlite:///b.db")]
    >>> [str(place) for place in name_tables(both, ["people", "people_public"])]
    ['sqlite:///a.db#people', 'sqlite:///b.db#people_public']
    """
    given, lacking = list(names or ()), [place for place in places if _lacks_table(place)]
    if len(given) != len(lacking):
        raise UsageError(_explain(len(given), lacking))
    following = iter(given)
    return [
        place.with_table(next(following))
        if isinstance(place, DatabaseTable) and _lacks_table(place)
        else place
        for place in places
    ]


def _lacks_table(place: Place) -> bool:
    return isinstance(place, DatabaseTable) and place.table is None


def _explain(given: int, lacking: Sequence[Place]) -> str:
    if not lacking:
        return (
            "--table: names the table of a database whose address has none. Leave it out, or give "
            "the address without the table."
        )
    if not given:
        return f"{lacking[0]}: which table? Give --table NAME, or write {lacking[0]}#NAME."
    times = "once" if given == 1 else f"{given} times"
    wanted = ", then that of ".join(map(str, lacking))
    return (
        f"--table: was given {times} for {len(lacking)} databases. Give it for each of them, in "
        f"the order of the command: first that of {wanted}."
    )
