"""Masking in the memory of this machine, on all its cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.engines.by_blocks import masked_by_blocks, outcome_among
from swapmeet.errors import ParameterError
from swapmeet.params import is_count

if TYPE_CHECKING:
    from swapmeet.methods import Method
    from swapmeet.microdata import Microdata
    from swapmeet.outcome import Outcome
    from swapmeet.seeds import Seed


@dataclass(frozen=True, kw_only=True)
class Local:
    """One machine; `threads` defaults to all cores the process may use.

    With `block_rows`, a larger table is masked in random blocks of about so many rows: whoever
    trades is in the same block, while ranges and spreads stay those of the whole table. The result
    does not depend on the number of threads.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("fair")
    >>> method = sm.RWN(k=10, weights=0.2)
    >>> sm.mask(people, method, seed=1, engine=sm.Local(block_rows=1000)).data.shape
    (6366, 9)
    """

    threads: int | None = None
    block_rows: int | None = None
    progress: Progress = silent

    def __post_init__(self) -> None:
        for name, least in (("threads", 1), ("block_rows", 2)):
            value = getattr(self, name)
            if value is not None and not is_count(value, least):
                raise ParameterError(f"Local: `{name}` must be a whole number from {least} up.")

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """What `method` does to `data`."""
        workers = Workers(self.threads or cores(), self.progress)
        if self.block_rows is None or data.n <= self.block_rows:
            return outcome_among(method, data, seed, 0, 1, workers)
        method.check(data)
        return masked_by_blocks(method, data, seed, self.block_rows, workers)
