"""Masking in the memory of this machine, on all its cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.core.base.parallel import Progress, Workers, count_cores, silent
from swapmeet.core.base.params import is_count
from swapmeet.engines.blocks import masked_by_blocks, outcome_among
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.release.outcome import Outcome
    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.methods import Method


@dataclass(frozen=True, kw_only=True)
class Local:
    """One machine; `threads` defaults to all cores the process may use.

    With `block_rows`, a larger table is masked in blocks of about so many rows: random ones, or for
    methods that seek neighbours cells in space with a halo. Ranges and spreads stay those of the
    whole table. The result does not depend on the number of threads.

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
        workers = Workers(self.threads or count_cores(), self.progress)
        if self.block_rows is None or data.n <= self.block_rows:
            return outcome_among(method, data, seed, 0, 1, workers)
        method.check(data)
        return masked_by_blocks(method, data, seed, self.block_rows, workers)
