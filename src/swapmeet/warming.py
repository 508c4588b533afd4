"""Everything is compiled, in processes of their own, on a small table that is nobody's.

A loop is compiled when it is first called, and its machine code is kept on disk (`base.jit`): what
one process has compiled, all others only load.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.compile_watch import start_compiling
from swapmeet.base.parallel import count_cores
from swapmeet.base.params import OneOf, Optional
from swapmeet.base.progress import Progress, silent
from swapmeet.errors import ParameterError, SwapmeetError
from swapmeet.methods import METHODS, Method, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa


ROWS = 240
NUMBERS = ["age", "height", "hours", "income"]
SHARES = 4
"""So many lots of jobs for each process, which loads the libraries once for each lot."""
REQUIRED: Mapping[str, Mapping[str, Any]] = {
    "nbrs": {"eps": 0.5},
    "mews": {"bins": 5},
    "per-column": {"parts": [{"name": "rwn", "columns": ["age", "income"]}]},
    "record-swap": {"columns": ["region"]},
}
"""Parameters without which a method cannot be tried."""


def warm_up(*, workers: int | None = None, progress: Progress = silent) -> int:
    """Compile the loops of all methods and measures; return the number of jobs this took.

    A second call finds everything on disk, and takes as long as loading it.
    """
    jobs, size = [*list_jobs()], workers or count_cores()
    lots = [lot for start in range(SHARES * size) if (lot := jobs[start :: SHARES * size])]
    done = 0
    with ThreadPoolExecutor(size) as pool:
        for ended in as_completed([pool.submit(_do_apart, lot) for lot in lots]):
            done += ended.result()
            progress("compiling", done, len(jobs))
    return done


def _do_apart(jobs: Sequence[str]) -> int:
    start_compiling(jobs).wait()
    return len(jobs)


def list_jobs() -> dict[str, Callable[[], None]]:
    """List what compiles loops: trades, guesses, each method in each variant, all measures."""
    return {
        "trading": _trade,
        "guessing": _guess,
        "measures": _measure,
        **{label: partial(_attack, method) for label, method in _list_methods()},
    }


def _list_methods() -> Iterator[tuple[str, Method]]:
    """Each method with its defaults, and once more with each other word that a parameter may be."""
    for name, kind in METHODS.items():
        given = REQUIRED.get(name, {})
        yield name, make(name, given)
        for parameter in kind.parameters():
            domain = parameter.domain
            words = domain.of if isinstance(domain, Optional) else domain
            for word in words.choices if isinstance(words, OneOf) else ():
                method = _make_if_allowed(name, {**given, parameter.name: word})
                if method is not None and word != parameter.default:
                    yield f"{name}:{parameter.name}={word}", method


def _make_if_allowed(name: str, settings: Mapping[str, Any]) -> Method | None:
    """The method, unless this word needs others beside it."""
    try:
        return make(name, settings)
    except ParameterError:
        return None


def _make_table() -> pa.Table:
    """Numbers, classes and gaps of nobody."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    return pa.table(
        {
            "age": rng.integers(18, 90, ROWS),
            "height": rng.normal(170.0, 9.0, ROWS),
            "grade": rng.choice(["a", "b", "c"], ROWS),
            "region": rng.choice(["north", "south"], ROWS),
            "hours": pa.array(rng.integers(0, 60, ROWS), mask=rng.random(ROWS) < 0.1),
            "income": rng.lognormal(10.0, 0.5, ROWS),
        }
    )


def _trade() -> None:
    """Trade inside given groups, as matched swapping does once it has found its own."""
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed
    from swapmeet.methods.matched_swap.trading import (
        Groups,
        Keeping,
        encode_features,
        match_within_groups,
    )
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata
    from swapmeet.tables.schema import Schema

    table = Table.of(_make_table())
    features = encode_features(Microdata.of(table, Schema.infer(table)), Keeping())
    groups = Groups(np.arange(ROWS) // 20, np.zeros(ROWS // 20, np.int64))
    match_within_groups(groups, features, 2, Seed.chosen_by_user(1).within("warm-up"), Workers(1))


def _guess() -> None:
    """Guess incomes from a release that another program might have made.

    Trees come first: they take longest, and who waits for all of it compiles them last.
    """
    from swapmeet.running.assessing import assess
    from swapmeet.running.masking import mask

    table = _make_table()
    mask(table, make("cart", {}), sensitive=["income"], seed=1)
    turned = table.take(np.roll(np.arange(ROWS), 1))
    assess(table, turned, match="rows", sensitive=["income"], measures="inference", limits={})


def _measure() -> None:
    from swapmeet.methods import MatchedSwap
    from swapmeet.running.assessing import assess
    from swapmeet.running.masking import mask

    table = _make_table()
    release = mask(table, MatchedSwap(k=20), sensitive=["income"], seed=1)
    assess(table, release, measures="all", limits={})


def _attack(method: Method) -> None:
    """Mask all columns, and numbers alone, and let those who know the method look for people."""
    from swapmeet.running.assessing import assess
    from swapmeet.running.masking import mask

    whole = _make_table()
    for table in (whole, whole.select(NUMBERS)):
        with suppress(SwapmeetError):  # a method that refuses a column compiles nothing for it
            release = mask(table, method, sensitive=["income"], seed=1)
            assess(table, release, measures=["linkage", "copies"], limits={})


def main(names: Sequence[str]) -> None:
    """Do these jobs."""
    warnings.simplefilter("ignore")
    jobs = list_jobs()
    for name in names:
        jobs[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
