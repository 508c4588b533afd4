"""Files larger than memory: masked and assessed piece by piece on one machine."""

from swapmeet.release import Streamed
from swapmeet.streaming.assess_file import assess_file, assess_sources
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
    "assess_file",
    "assess_sources",
    "guess_schema",
    "mask_file",
    "mask_source",
    "opened",
    "require_targets",
    "schema_of",
]
