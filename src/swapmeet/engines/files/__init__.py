"""Files larger than memory: masked and assessed piece by piece on one machine."""

from swapmeet.core.release.release import Streamed
from swapmeet.engines.files.assess import assess_file, assess_sources
from swapmeet.engines.files.guessing import guess_schema, schema_of
from swapmeet.engines.files.mask import (
    BLOCK_ROWS,
    MEMORY,
    mask_file,
    mask_source,
    require_targets,
)
from swapmeet.engines.files.opening import opened

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
