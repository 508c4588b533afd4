"""How far are the neighbours that the ways to large data find, against the exact ones?"""

from __future__ import annotations

import numpy as np
import people
from measure import seconds

import swapmeet as sm

SETTINGS = [
    {"search": "sample", "sample": 500},
    {"search": "sample", "sample": 1000},
    {"search": "sample", "sample": 2000},
    {"search": "pairs", "sample": 1000},
    {"search": "partition", "parts": 4},
    {"search": "partition", "parts": 16},
    {"search": "partition", "parts": 64},
    {"search": "cells", "parts": 4},
    {"search": "cells", "parts": 16},
    {"search": "cells", "parts": 64},
]


def main() -> None:
    table = people.svcensus()
    schema = sm.Schema.infer(table)
    matrix = people.one_hot(table)

    def mean_distance(**settings):
        release = sm.mask(table, sm.RWN(k=10, **settings), schema=schema)
        donors = release.audit.donors
        return float(np.mean([np.linalg.norm(matrix - matrix[d], axis=1).mean() for d in donors.T]))

    exact = mean_distance()
    print(f"svcensus, k=10: mean distance to a donor {exact:.4f} (exact)")
    for settings in SETTINGS:
        far = mean_distance(**settings)
        took = seconds(lambda: sm.mask(table, sm.RWN(k=10, **settings), schema=schema))  # noqa: B023
        print(f"{settings!s:<40} {far / exact:5.2f} times, {took:6.3f} s", flush=True)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    main()
