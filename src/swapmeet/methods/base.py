"""What every masking method is: parameters, and a rule that gives each cell a donor."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.params import Parameters

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from swapmeet.blocks import Workers
    from swapmeet.microdata import Microdata
    from swapmeet.seeds import Streams


@dataclass(frozen=True, kw_only=True)
class Method(Parameters):
    """A masking method; its fields are its parameters."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def donors(self, data: Microdata, streams: Streams, workers: Workers) -> npt.NDArray[np.int64]:
        """For each row and column of `data`, the row whose value the cell receives; -1: none."""
