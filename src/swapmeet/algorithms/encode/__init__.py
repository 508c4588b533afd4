"""Turn a table's columns into points with a distance: frozen, and replayable on other rows."""

from swapmeet.algorithms.encode.encoding import Encoding, Scale
from swapmeet.algorithms.encode.points import Points
from swapmeet.algorithms.encode.space import Space

__all__ = ["Encoding", "Points", "Scale", "Space"]
