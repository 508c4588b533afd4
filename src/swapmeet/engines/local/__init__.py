"""The engine that works in the memory of one machine."""

from swapmeet.engines.local.engine import Local

__all__ = ["Local"]
