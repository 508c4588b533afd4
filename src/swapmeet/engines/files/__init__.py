"""The engine for files larger than memory."""

from swapmeet.engines.files.engine import BLOCK_ROWS, MEMORY, Files, Target

__all__ = ["BLOCK_ROWS", "MEMORY", "Files", "Target"]
