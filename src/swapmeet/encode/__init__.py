"""Turn a table's columns into points with a distance: frozen, and replayable on other rows."""

from swapmeet.encode.encoding import Encoding, Scale
from swapmeet.encode.points import Points
from swapmeet.encode.space import Space

__all__ = ["Encoding", "Points", "Scale", "Space"]
