"""The common parts of heat maps of counts."""

from __future__ import annotations


def close_edges(
    edges: tuple[float, ...], least: float = -float("inf"), only: float = 0.0
) -> list[float]:
    """The edges with outer ones: open bins are as wide as others, and none begins below `least`.

    Without edges there is one bin, which begins with `only`.

    >>> close_edges((5.0, 10.0)), close_edges((5.0, 10.0), 3.0), close_edges((), 0.0, 5.0)
    ([0.0, 5.0, 10.0, 15.0], [3.0, 5.0, 10.0, 15.0], [5.0, 6.0])
    """
    if not edges:
        return [only, only + 1.0]
    step = edges[1] - edges[0] if len(edges) > 1 else abs(edges[0]) or 1.0
    return [max(edges[0] - step, least), *edges, edges[-1] + step]
