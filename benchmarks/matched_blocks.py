"""What do blocks cost matched swapping: a table as a whole, in cells in space, in random blocks?

As a part of per-column the method works in random blocks.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
from people import mixed

import swapmeet as sm

if TYPE_CHECKING:
    import pandas as pd

    from swapmeet.methods import Method

ROWS, BLOCK = 200_000, 20_000
MEASURES = ("propensity", "associations", "queries")


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    by = sys.argv[2] if len(sys.argv) > 2 else "tree"
    people, method = mixed(rows), sm.MatchedSwap(k=10, by=by)
    parts = sm.PerColumn(parts=[(method, tuple(people))])
    sm.mask(mixed(2_000), method, engine=sm.Local(block_rows=1_000))
    show("whole", people, method, None)
    show("cells", people, method, rows // (ROWS // BLOCK))
    show("random", people, parts, rows // (ROWS // BLOCK))


def show(what: str, people: pd.DataFrame, method: Method, block: int | None) -> None:
    begin = time.process_time()
    release = sm.mask(people, method, seed=1, engine=sm.Local(block_rows=block))
    seconds = time.process_time() - begin
    numbers = people.select_dtypes("number")
    change = (release.data[numbers.columns].corr() - numbers.corr()).abs().to_numpy()
    apart = ((release.data[numbers.columns] - numbers) ** 2).mean() / numbers.var()
    card = sm.assess(people, release, measures=MEASURES)
    scores = ", ".join(f"{name} {card[name].value:.2g}" for name in MEASURES)
    mean = change[np.triu_indices(len(change), 1)].mean()
    print(
        f"{what}: {seconds:.1f} CPU s, apart {apart.mean():.3f}, correlations {mean:.1g}, {scores}"
    )


if __name__ == "__main__":
    main()
