"""The contract that every masking method must pass; public, for methods made elsewhere too.

The method masks small tables of many types, with missing values, ties, duplicates and strata, and
whatever is promised of a release is asserted. A method that leaves the table as it was fails.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.engines import Local
from swapmeet.errors import SwapmeetError, SwapmeetWarning
from swapmeet.methods import Method
from swapmeet.release.donors import MADE, SUPPRESSED
from swapmeet.release.release import Release
from swapmeet.running.masking import mask
from swapmeet.tables.frame import Frame
from swapmeet.tables.schema import Role
from swapmeet.testing.examples import Example, examples, fit_example

SEED = 7_091_823_645_501_928_374
OTHER_SEED = 3_648_190_275_564_738_291
TELLING = 6
"""A cell's text with at least this many characters gives it away; «12» may well be a count."""


@dataclass(frozen=True, repr=False)
class ExampleRelease:
    """One release of one example; `original` holds the cells of its data, by column."""

    method: Method
    example: Example
    release: Release
    original: dict[str, list[Any]]

    @cached_property
    def released(self) -> dict[str, list[Any]]:
        """The cells of the release, by column."""
        return _cells(self.release.data)

    def donors(self, name: str) -> Ints:
        """The donor of each cell of a column."""
        return self.release.audit.donors[:, self.example.schema.published.index(name)]


def check_method(method: Method, *, on: Iterable[Example] | None = None) -> None:
    """Raise AssertionError unless `method` keeps the contract on all examples.

    A method that cannot mask every kind of column is checked on those it can; the other columns
    are kept. ``on=[only(example, "income", "age") for example in examples()]`` chooses them.

    >>> import swapmeet as sm
    >>> check_method(sm.RWN(k=5))
    """
    for example in examples() if on is None else on:
        trial = _make_trial(method, fit_example(method, example))
        for check in CHECKS:
            check(trial)


def check_type(trial: ExampleRelease) -> None:
    """The release is a table of the same type, with the same columns, minus the dropped."""
    data, released = trial.example.data, trial.release.data
    _require(type(released) is type(data), trial, f"returns a {type(released).__name__}")
    names = [name for name in _names(data) if trial.example.schema[name].role is not Role.DROP]
    _require(_names(released) == names, trial, f"returns the columns {_names(released)}")


def check_dtypes(trial: ExampleRelease) -> None:
    """Every column keeps its dtype; a column with suppressed cells may become nullable.

    Columns of categories stay what they are; their levels are those that a released row has.
    """
    before, after = _dtypes(trial.example.data), _dtypes(trial.release.data)
    for name in after:
        if (trial.donors(name) >= 0).all():
            _require(before[name] == after[name], trial, f"changes the dtype of {name!r}")


def check_index(trial: ExampleRelease) -> None:
    """Released rows have a fresh index: the old one may name people, or tell their order."""
    if hasattr(type(trial.example.data), "index"):
        for released in (trial.release.data, trial.release.shuffled()):
            fresh = released.index
            _require(list(fresh) == list(range(len(fresh))), trial, "publishes the index")


def check_input(trial: ExampleRelease) -> None:
    """The table that was masked is as it was."""
    now = _cells(trial.example.data)
    for name, cells in trial.original.items():
        same = all(map(_same, cells, now[name]))
        _require(same, trial, f"alters column {name!r} of its input")


def check_donors(trial: ExampleRelease) -> None:
    """Every released value is that of its donor in the same column, missing, or declared made."""
    n, least = len(trial.release.audit.donors), MADE if trial.method.makes_values else SUPPRESSED
    for name, released in trial.released.items():
        donors, cells = trial.donors(name), trial.original[name]
        _require(bool(((donors >= least) & (donors < n)).all()), trial, "has donors out of range")
        pairs = ((None if d < 0 else cells[d], new) for d, new in zip(donors, released, strict=True)
                 if d != MADE)  # fmt: skip
        same = all(_same(given, new) for given, new in pairs)
        _require(same, trial, f"releases values of {name!r} that are not their donors'")


def check_made(trial: ExampleRelease) -> None:
    """A value that was made is there; none is made for a missing one."""
    for name, released in trial.released.items():
        made = trial.donors(name) == MADE
        for old, new, is_made in zip(trial.original[name], released, made, strict=True):
            there = not is_made or not (_is_missing(old) or _is_missing(new))
            _require(there, trial, f"makes missing values of {name!r}, or makes them up")


def check_stuck(trial: ExampleRelease) -> None:
    """Values that found no partner to trade with are where they were."""
    for name, rows in trial.release.audit.stuck.items():
        _require(name in trial.example.schema.masked, trial, f"lists {name!r}, which is not masked")
        stay = np.array_equal(trial.donors(name)[rows], rows)
        _require(stay, trial, f"lists values of {name!r} as stuck that moved")


def check_untouched_columns(trial: ExampleRelease) -> None:
    """Columns to keep and strata are published as they are."""
    own = np.arange(len(trial.release.audit.donors))
    for name in trial.example.schema.having(Role.KEEP, Role.STRATA):
        _require(np.array_equal(trial.donors(name), own), trial, f"moves values of {name!r}")


def check_strata(trial: ExampleRelease) -> None:
    """No value leaves its stratum."""
    columns = [trial.original[name] for name in trial.example.schema.having(Role.STRATA)]
    for name in trial.example.schema.masked:
        for row, donor in enumerate(trial.donors(name)):
            if donor >= 0:
                stays = all(_same(cells[row], cells[donor]) for cells in columns)
                _require(stays, trial, f"moves values of {name!r} out of their stratum")


def check_something_moves(trial: ExampleRelease) -> None:
    """Some values come from another row or vanish: the identity is no masking method."""
    own = np.arange(len(trial.release.audit.donors))
    moves = any((trial.donors(name) != own).any() for name in trial.example.schema.masked)
    _require(moves, trial, "leaves every value with its row")


def check_shuffled(trial: ExampleRelease) -> None:
    """The published rows are those of the release, in the order the audit record tells."""
    published, owner = _cells(trial.release.shuffled()), trial.release.audit.owner
    _require(sorted(owner) == list(range(len(owner))), trial, "publishes a row twice or never")
    for name, cells in trial.released.items():
        same = all(map(_same, [cells[row] for row in owner], published[name]))
        _require(same, trial, f"publishes {name!r} in another order than its audit record says")


def check_seeds(trial: ExampleRelease) -> None:
    """The same seed gives the same release; others, and fresh ones, do not if it is random."""
    again = _mask(trial.method, trial.example, SEED)
    _require(_equal(trial.release, again), trial, "gives two releases for one seed")
    others = [_mask(trial.method, trial.example, seed) for seed in (OTHER_SEED, None, None)]
    seen = {_fingerprint(other) for other in [trial.release, *others]}
    wanted = 1 + len(others) if trial.method.is_random else 1
    _require(len(seen) == wanted, trial, f"gives {len(seen)} releases for {1 + len(others)} seeds")


def check_threads(trial: ExampleRelease) -> None:
    """The release does not depend on the number of threads."""
    for threads in (1, 2):
        other = _mask(trial.method, trial.example, SEED, Local(threads=threads))
        _require(_equal(trial.release, other), trial, "depends on the number of threads")


def check_reprs(trial: ExampleRelease) -> None:
    """No repr shows the seed or a cell's value."""
    release = trial.release
    secrets = [str(SEED), f"{SEED:x}", release.audit.seed.key.hex(), repr(release.audit.seed.key)]
    cells = {str(cell) for cells in trial.original.values() for cell in cells}
    secrets += [cell for cell in cells if len(cell) >= TELLING]
    for thing in (release, release.audit, release.audit.map, trial.method):
        shown = repr(thing)
        hidden = not any(secret in shown for secret in secrets)
        _require(hidden, trial, f"shows secrets in the repr of its {type(thing).__name__}")


CHECKS = (
    check_type,
    check_dtypes,
    check_index,
    check_input,
    check_donors,
    check_made,
    check_stuck,
    check_untouched_columns,
    check_strata,
    check_something_moves,
    check_shuffled,
    check_seeds,
    check_threads,
    check_reprs,
)
"""All that is promised of a release, in the order in which it is checked."""


def _make_trial(method: Method, example: Example) -> ExampleRelease:
    original = _cells(example.data)
    return ExampleRelease(method, example, _mask(method, example, SEED), original)


def _mask(
    method: Method, example: Example, seed: int | None, engine: Local | None = None
) -> Release:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SwapmeetWarning)
        try:
            return mask(example.data, method, schema=example.schema, seed=seed, engine=engine)
        except SwapmeetError as error:
            message = f"{type(method).__name__} fails on {example.label!r}: {error}"
            raise AssertionError(message) from error


def _require(holds: bool, trial: ExampleRelease, what: str) -> None:  # noqa: FBT001
    if not holds:
        name, label = type(trial.method).__name__, trial.example.label
        raise AssertionError(f"{name} on the example {label!r}: {what}.")


def _equal(one: Release, other: Release) -> bool:
    same_order = np.array_equal(one.audit.owner, other.audit.owner)
    return same_order and _fingerprint(one) == _fingerprint(other)


def _fingerprint(release: Release) -> tuple[bytes, str]:
    """Donors, and the values where some were made."""
    made = release.audit.map.made.any()
    return release.audit.donors.tobytes(), repr(_cells(release.data)) if made else ""


def _names(frame: Frame) -> list[str]:
    return list(frame.column_names if _is_arrow(frame) else frame.columns)


def _is_arrow(frame: Frame) -> bool:
    return hasattr(type(frame), "column_names")


def _dtypes(frame: Frame) -> dict[str, Any]:
    if _is_arrow(frame):
        return {field.name: field for field in frame.schema}
    return {name: _without_levels(frame[name].dtype) for name in _names(frame)}


def _without_levels(kind: Any) -> Any:
    """A dtype; of one that lists its levels, all but these."""
    if not hasattr(getattr(kind, "categories", None), "dtype"):
        return kind
    return type(kind), getattr(kind, "ordered", True), kind.categories.dtype


def _cells(frame: Frame) -> dict[str, list[Any]]:
    read = "to_pylist" if _is_arrow(frame) else "to_list"
    return {name: getattr(frame[name], read)() for name in _names(frame)}


def _same(one: Any, other: Any) -> bool:
    if _is_missing(one) or _is_missing(other):
        return _is_missing(one) and _is_missing(other)
    return bool(one == other)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ in {"NAType", "NaTType"} or bool(cell != cell)
