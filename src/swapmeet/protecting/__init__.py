"""More protection for single people, where a release does not hide them well enough."""

from swapmeet.protecting.protection import ProtectedRelease, protect, read_settings

__all__ = ["ProtectedRelease", "protect", "read_settings"]
