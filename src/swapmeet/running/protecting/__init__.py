"""More protection for single people, where a release does not hide them well enough."""

from swapmeet.running.protecting.protection import ProtectedRelease, protect

__all__ = [
    "ProtectedRelease",
    "protect",
]
