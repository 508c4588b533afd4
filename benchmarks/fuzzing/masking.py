"""Odd tables through every method: what comes out keeps the contract, or one message says why."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import swapmeet as sm
from fuzzing.methods import draw_measure, draw_method
from fuzzing.odd import draw_number
from fuzzing.oracle import Finding, require, require_silence
from fuzzing.tables import draw_table
from swapmeet.tables.arrow import simplify_types
from swapmeet.tables.role import Role
from swapmeet.testing import methods as contract
from swapmeet.testing.examples import Example

if TYPE_CHECKING:
    from random import Random

ROLES = ("key", "sensitive", "keep", "strata", "drop", "weight", "place", "household", "person",
         "position")  # fmt: skip
COMMON = ("key", "sensitive", "sensitive", "sensitive", "keep", "strata", "place", "drop")
CHECKS = (
    contract.check_type, contract.check_index, contract.check_made, contract.check_stuck,
    contract.check_untouched_columns, contract.check_strata, contract.check_shuffled,
    contract.check_dtypes,
)  # fmt: skip
STEPS = ("{}: top 80", "{}: round 10", "{}: suppress rare 2", "{}: cut 0, 18, 65", "{}: month",
         "{}: group rare 3 = other")  # fmt: skip
RULES = ("{} >= 0", "{} < {} or {} is missing", "not {} = 1")
DERIVATIONS = ("{} = {} + {}", "{} = {} * 2", "{} = lookup({})", "{} = round({} / 3, 1)")


def mask_and_assess(rng: Random) -> None:
    """One table, one method, a few measures."""
    frame = draw_table(rng)
    names = _list_names(frame)
    roles = draw_roles(rng, names)
    method = draw_method(rng, names)
    blocks = rng.choice((*[None] * 8, 2, 5))
    engine = None if blocks is None else sm.Local(block_rows=blocks, threads=1)
    seed = rng.choice((*[1] * 30, draw_number(rng)))
    release = sm.mask(frame, method, seed=seed, engine=engine or sm.Local(threads=1), **roles)
    check_release(method, frame, release, roles)
    if rng.random() < 0.6:
        assess_release(rng, frame, release, names)


def inspect_table(rng: Random) -> None:
    """What is found in a table names no value of it, and is told on a page."""
    found = sm.inspect(draw_table(rng))
    found._repr_html_()
    str(found)


def report_release(rng: Random) -> None:
    """A report of a release of an odd table, for insiders and for the public."""
    frame = draw_table(rng)
    names = _list_names(frame)
    roles = draw_roles(rng, names)
    release = sm.mask(frame, draw_method(rng, names), seed=1, engine=sm.Local(threads=1), **roles)
    measures = [draw_measure(rng, names) for _ in range(2)]
    card = sm.assess(frame, release, measures=measures, limits={}, profile=True, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        for audience in ("internal", "public"):
            page = Path(folder) / f"{audience}.html"
            sm.report(card, page, audience=audience, release=release)
            require_silence(page.read_text(encoding="utf-8"), f"the {audience} report")


def draw_roles(rng: Random, names: list[str]) -> dict[str, Any]:
    """Roles and ties that may be meant."""
    roles: dict[str, Any] = {}
    for name in names:
        if rng.random() < 0.4:
            roles.setdefault(rng.choice(COMMON if rng.random() < 0.9 else ROLES), []).append(name)
    roles["publish"] = [name for name in names if name not in roles.get("drop", ())]
    if names and rng.random() < 0.1:
        roles["missing"] = rng.choice((-9, "zqcode", {names[0]: [1, "x"]}, 1e400, 2**70))
    for what, texts in (("recode", STEPS), ("rule", RULES), ("derive", DERIVATIONS)):
        if names and rng.random() < 0.04:
            text = rng.choice(texts)
            roles[what] = [text.format(*(rng.choice(names) for _ in range(text.count("{}"))))]
    if len(names) > 2 and rng.random() < 0.04:
        roles["together"] = [names[:2]]
    return roles


def check_release(method: Any, frame: Any, release: Any, roles: dict[str, Any]) -> None:
    """Rows, columns, types and values are what was promised."""
    rows = len(frame)
    require(len(release.data) == rows, "another number of rows")
    for thing in (release, release.audit, release.changes, release.notes):
        require_silence(repr(thing), f"the repr of {type(thing).__name__}")
    require_silence(release._repr_html_(), "the page of a release")
    if {"recode", "derive", "household", "person", "rule"} & roles.keys():
        return
    frame = simplify_types(frame) if isinstance(frame, pa.Table) else frame
    example = Example("odd", frame, release.schema)
    trial = contract.ExampleRelease(method, example, release, contract._cells(frame))  # noqa: SLF001
    for check in CHECKS:
        try:
            check(trial)
        except AssertionError as error:
            told = f"{check.__name__}: {method.name}: {str(error)[-60:]}"
            raise Finding(told) from None
        except ValueError:
            return  # cells that cannot be compared, such as arrays


def assess_release(rng: Random, frame: Any, release: Any, names: list[str]) -> None:
    """A card of some measures, with the words for it."""
    measures = [draw_measure(rng, names) for _ in range(rng.choice((0, 1, 2)))]
    if rng.random() < 0.5:
        card = sm.assess(frame, release, measures=measures, limits={}, threads=1)
    else:
        card = sm.assess(frame, release.data, measures=measures, limits={}, threads=1,
                         match=rng.choice(("rows", "unknown")), publish=names)  # fmt: skip
    for text in (repr(card), str(card), card._repr_html_(), repr(card.to_dict())):
        require_silence(text, "a card")
    require(all(column.role is not Role.DROP or column.name not in card.known
                for column in release.schema), "a dropped column is known")  # fmt: skip


def _list_names(frame: Any) -> list[str]:
    names = frame.column_names if hasattr(type(frame), "column_names") else frame.columns
    return list(dict.fromkeys(map(str, names)))
