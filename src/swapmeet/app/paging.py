"""Long lists, a part at a time, and only what somebody looks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

SIZE = 50


@dataclass(frozen=True)
class Part:
    """A part of a list: its items with their places in the whole, and how to get to the others."""

    items: Sequence[tuple[int, Any]]
    total: int
    matching: int
    page: int
    wanted: str

    @property
    def pages(self) -> int:
        """The number of parts."""
        return max(-(-self.matching // SIZE), 1)

    def link(self, page: int, tab: str = "") -> str:
        """The query that leads to another part, of a tab where a page has several."""
        query = {"tab": tab, "page": page, "find": self.wanted}
        return f"?{urlencode({name: value for name, value in query.items() if value})}"


def cut(items: Sequence[Any], request: Request) -> Part:
    """The part that the address asks for."""
    wanted = request.query_params.get("find", "").strip()
    matching = [
        (at, item) for at, item in enumerate(items) if wanted.lower() in item["name"].lower()
    ]
    text = request.query_params.get("page", "1")
    last = max(-(-len(matching) // SIZE), 1)
    page = min(max(int(text[:9]), 1), last) if text.isascii() and text.isdigit() else 1
    shown = matching[(page - 1) * SIZE : page * SIZE]
    return Part(shown, len(items), len(matching), page, wanted)
