"""Where the work is done."""

from swapmeet.engines.local import Local

__all__ = ["Local"]
