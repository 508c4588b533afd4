"""More protection for single people, where a release does not hide them well enough."""

from swapmeet.protecting.protection import protect, read_settings
from swapmeet.protecting.result import ProtectedRelease

__all__ = ["ProtectedRelease", "protect", "read_settings"]
