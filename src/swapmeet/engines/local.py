"""Masking in the memory of this machine, on all its cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from swapmeet.blocks import Progress, Workers, cores, silent
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from swapmeet.methods import Method
    from swapmeet.microdata import Microdata
    from swapmeet.outcome import Outcome
    from swapmeet.seeds import Seed


@dataclass(frozen=True, kw_only=True)
class Local:
    """One machine; `threads` defaults to all cores the process may use.

    The result does not depend on the number of threads.
    """

    threads: int | None = None
    progress: Progress = silent

    def __post_init__(self) -> None:
        whole = isinstance(self.threads, int) and not isinstance(self.threads, bool)
        if self.threads is not None and not (whole and self.threads >= 1):
            raise ParameterError("Local: `threads` must be a whole number from 1 up.")

    def run(self, method: Method, data: Microdata, seed: Seed) -> Outcome:
        """What `method` does to `data`."""
        method.check(data)
        workers = Workers(self.threads or cores(), self.progress)
        outcome = method.outcome(data, seed.within(method.name), workers)
        outcome.require_complete(method.name, data)
        return outcome
