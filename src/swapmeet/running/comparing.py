"""compare(): two releases of one table, measured in the same way, side by side."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from swapmeet.base.parallel import Progress, silent
from swapmeet.base.sentences import join_names
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.engines import choose_engine
from swapmeet.errors import TableError
from swapmeet.io.document import Document, get_frame
from swapmeet.measures.card_pair import ReleasePair
from swapmeet.measures.matching import UNKNOWN
from swapmeet.measures.registry import split_measures
from swapmeet.running.assessing import assess
from swapmeet.running.masking import plan_of
from swapmeet.running.preparation import prepare
from swapmeet.tables.frame import Frame, Table
from swapmeet.tables.roles import Roles, check_arguments, list_names
from swapmeet.tables.schema import Schema
from swapmeet.tables.schema_union import name_differing, unite_schemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from swapmeet.measures.base import Measure
    from swapmeet.measures.scorecard import Scorecard
    from swapmeet.plan.plan import Plan
    from swapmeet.release.audit import AuditRecord
    from swapmeet.release.release import Release

    Audits = tuple[AuditRecord | None, AuditRecord | None]


@check_arguments
def compare(
    original: Frame | Document,
    first: Release | Frame | Document,
    second: Release | Frame | Document,
    *,
    names: tuple[str, str] = ("first", "second"),
    schema: Schema | None = None,
    audits: Audits = (None, None),
    match: str = UNKNOWN,
    known: Iterable[str] | None = None,
    intruder: str = Knowledge.KEYS,
    measures: str | Iterable[str | Measure] | None = None,
    limits: Mapping[str, float] | None = None,
    at_most: int | None = 20_000,
    progress: Progress = silent,
    recodes: tuple[Iterable[str], Iterable[str]] | None = None,
    **roles: Unpack[Roles],
) -> ReleasePair:
    """Assess two releases of a table in the same way, and say which is better in what.

    Both are judged by the same roles: those of the `schema`, or given as in `mask`, or else, of
    releases made here, the more cautious of the two. `audits` are the records of releases from
    files, and `recodes` the steps that each was recoded by, where neither it nor its record tells;
    the rest is as in `assess`.

    >>> import swapmeet as sm
    >>> people = sm.datasets.load("diabetes")
    >>> weak, strong = (sm.mask(people, sm.RWN(k=k, weights=0.1), seed=1) for k in (2, 40))
    >>> pair = compare(people, weak, strong, measures=["pscr", "margins"], limits={"pscr": 0.2})
    >>> str(pair.scores["pscr"].better)
    'B'
    """
    plan = plan_of("compare", schema, roles)
    schemas = [release.schema for release in (first, second) if _is_ours(release)]
    shared = schema or _choose_schema(original, schemas, plan)
    known = None if known is None else list_names(known)
    measures = split_measures(measures)
    cards = []
    steps = (shared.recodes, shared.recodes) if recodes is None else recodes
    for name, release, audit, own in zip(names, (first, second), audits, steps, strict=True):
        with _naming(name):
            cards.append(assess(
                original, release, schema=replace(shared, recodes=tuple(own)),
                audit=audit, match=match, known=known,
                intruder=intruder, measures=measures, limits=limits, at_most=at_most,
                progress=progress,
            ))  # fmt: skip
    conflicts = list_role_conflicts(schemas) if schema is None and not plan.columns else []
    notes = (*conflicts, *_list_absent(cards))
    return ReleasePair(names=names, cards=(cards[0], cards[1]), notes=notes)


@contextmanager
def _naming(release: str) -> Iterator[None]:
    """Say which of the two releases does not fit its record or the original."""
    try:
        yield
    except TableError as error:
        raise TableError(f"{release}: {error}") from error


def _is_ours(release: Any) -> bool:
    return isinstance(getattr(release, "schema", None), Schema)


def _choose_schema(original: Frame | Document, schemas: list[Schema], plan: Plan) -> Schema:
    """Choose roles: those the releases agree on, else the more cautious, else inferred ones."""
    if not schemas:
        return prepare(plan, original, choose_engine(original), asked_by="compare").schema
    united = schemas[0] if len(schemas) == 1 else unite_schemas(*schemas)
    names = Table.of(get_frame(original)).names
    return plan.resolve(names).settle(replace(united, recodes=())).in_order(names)


def list_role_conflicts(schemas: list[Schema]) -> list[str]:
    """List notes on columns whose role differs between the two releases."""
    if len(schemas) < 2:
        return []
    differing = name_differing(*schemas)
    if not differing:
        return []
    return [
        f"{join_names(differing)}: A and B give other roles; both are judged by the more cautious."
    ]


def _list_absent(cards: list[Scorecard]) -> list[str]:
    """List notes on columns that only one of the releases has."""
    one, two = ([c.name for c in card.facts.columns] if card.facts else [] for card in cards)
    notes = []
    for letter, own, other in (("A", one, two), ("B", two, one)):
        absent = [name for name in other if name not in own]
        if absent:
            notes.append(f"{letter} has no {join_names(absent)}: its figures are without.")
    return notes
