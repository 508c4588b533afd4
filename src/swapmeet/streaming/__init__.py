"""Files larger than memory: masked piece by piece on one machine."""

from swapmeet.release import Streamed
from swapmeet.streaming.guessing import guess_schema, schema_of
from swapmeet.streaming.mask_file import (
    BLOCK_ROWS,
    MEMORY,
    mask_file,
    mask_source,
    require_targets,
)
from swapmeet.streaming.opening import opened

__all__ = [
    "BLOCK_ROWS",
    "MEMORY",
    "Streamed",
    "guess_schema",
    "mask_file",
    "mask_source",
    "opened",
    "require_targets",
    "schema_of",
]
