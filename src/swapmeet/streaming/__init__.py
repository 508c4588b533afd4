"""Files larger than memory: masked and assessed piece by piece on one machine."""

from swapmeet.release import Streamed
from swapmeet.streaming.assess_file import assess_file
from swapmeet.streaming.guessing import guess_schema
from swapmeet.streaming.mask_file import BLOCK_ROWS, MEMORY, mask_file

__all__ = ["BLOCK_ROWS", "MEMORY", "Streamed", "assess_file", "guess_schema", "mask_file"]
