"""How fast is record swapping: against sdcMicro's recordSwap, and against sorting the people?"""

from __future__ import annotations

import warnings
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from measure import Figure, compare, cpu_seconds

import swapmeet as sm
from swapmeet.base.seeds import Seed
from swapmeet.engines import Local
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

if TYPE_CHECKING:
    from collections.abc import Callable

SDCMICRO = 4.2
"""CPU seconds of recordSwap: 100,000 households of 349,391 people, one risk variable, three levels;
R's sdcMicro 5.8.1, on a machine like this one."""
METHOD = sm.RecordSwap(
    similar=[["hsize", "htype"], ["hsize"]], risk=["hincome"], k=3, swap_rate=0.05
)
PLACES = ["nuts1", "nuts2", "nuts3"]


def main() -> None:
    warnings.simplefilter("ignore", sm.SwapmeetWarning)
    people, schema = make_people(100_000)
    data = Microdata.of(Table(people), schema, METHOD.find_context(schema))
    engine = Local(threads=1)
    ours = cpu(lambda: engine.run(METHOD, data, Seed.fresh()))
    what = f"100,000 households, {len(people):,} people (CPU) / sdcMicro"
    Figure(f"method, {what}", ours, SDCMICRO, 0.05).show()
    whole = cpu(lambda: sm.mask(people, METHOD, schema=schema))
    Figure(f"mask, {what}", whole, SDCMICRO, 0.3).show()
    codes = [people[name].to_numpy() for name in (*PLACES, "hsize", "htype", "hincome")]
    compare(
        "method, 100,000 households, one thread / sorting the people by six columns",
        lambda: engine.run(METHOD, data, Seed.fresh()),
        lambda: np.lexsort(codes),
        bound=3.0,
        repeats=7,
    )
    show_growth()


def show_growth() -> None:
    """The time for a household stays about the same; a million take seconds."""
    for households in (10_000, 100_000, 1_000_000):
        people, schema = make_people(households)
        data = Microdata.of(Table(people), schema, METHOD.find_context(schema))
        took = cpu(lambda d=data: Local(threads=1).run(METHOD, d, Seed.fresh()), times=3)
        each = 1e6 * took / households
        print(f"{households:>9,} households: {took:6.2f} s, {each:.2f} µs each", flush=True)


def make_people(households: int) -> tuple[pd.DataFrame, sm.Schema]:
    """Households of about 3.5 people in 50 areas of 10 larger and 4 largest ones."""
    stream = np.random.default_rng(1)
    size = np.clip(stream.poisson(2.5, households) + 1, 1, 8)
    area = stream.integers(0, 50, households)
    told = {
        "nuts1": area // 15, "nuts2": area // 5, "nuts3": area, "hid": np.arange(households),
        "hsize": size, "htype": stream.integers(1, 10, households),
        "hincome": stream.integers(1, 11, households),
    }  # fmt: skip
    people = pd.DataFrame({name: np.repeat(values, size) for name, values in told.items()})
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in people)).assign(
        place=PLACES, household=["hid"], keep=["hsize", "htype"]
    )
    return people, schema


def cpu(work: Callable[[], object], times: int = 7) -> float:
    work()
    return median(cpu_seconds(work) for _ in range(times))


if __name__ == "__main__":
    main()
