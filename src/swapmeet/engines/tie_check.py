"""Rules and derivations are judged in any release, also one made elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from swapmeet.engines.protocol import is_spark
from swapmeet.engines.ties import bind_ties, check_piece, find_facts, list_tied, ties_with_facts
from swapmeet.measures.side_by_side.answers import TieCheck
from swapmeet.tables.conditions import Condition
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.derived_columns import Failures, TableFacts
from swapmeet.tables.frame import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.engines.protocol import Engine
    from swapmeet.engines.ties import FittedTies, PieceCheck
    from swapmeet.tables.schema import Schema
    from swapmeet.tables.ties import Ties

PIECE = 1 << 20
"""Rows of a file that are looked at together."""


def check_ties(
    engine: Engine[Any, Any], original: Any, release: Any, schema: Schema
) -> tuple[TieCheck, ...]:
    """Count the rows that break each rule and derivation whose columns both tables have."""
    there = set(schema.names) & set(engine.head(release).names)
    ties = bind_ties(replace(schema, ties=_keep_known(schema.ties, there)))
    if not ties.derived and not ties.rules:
        return ()
    names = list_tied(ties.schema)
    facts: TableFacts | None = None
    for part in _ask(engine, original, names, lambda piece: find_facts(ties, piece)):
        facts = part if facts is None else facts.merge(part)
    known = ties_with_facts(ties, facts or TableFacts())
    before, after = (
        _ask(engine, data, names, lambda piece: check_piece(known, piece))
        for data in (original, release)
    )
    return _compare(known, before, after)


def _keep_known(ties: Ties, names: set[str]) -> Ties:
    """Select those about these columns only."""
    derivations = [Derivation(text) for text in ties.derive]
    return replace(
        ties,
        together=(),
        derive=tuple(one.text for one in derivations if {one.name, *one.parents} <= names),
        rules=tuple(text for text in ties.rules if set(Condition(text).columns) <= names),
    )


def _ask(
    engine: Engine[Any, Any], data: Any, names: Sequence[str], look: Callable[[Table], Any]
) -> list[Any]:
    """Return what `look` finds in each piece of a table, wherever it is."""
    if hasattr(data, "pieces"):
        return [look(Table(piece)) for _, piece in data.pieces(names, PIECE)]
    if is_spark(data) or is_spark(getattr(data, "data", None)):
        from swapmeet.engines.spark.scan import ask_pieces

        return ask_pieces(data if is_spark(data) else data.data, tuple(names), look)
    return [look(engine.head(data))]


def _compare(
    ties: FittedTies, before: list[PieceCheck], after: list[PieceCheck]
) -> tuple[TieCheck, ...]:
    rows = sum(piece.rows for piece in after)
    derived = (
        TieCheck(one.derivation.shown, _add_up(before, one.name), _add_up(after, one.name), rows,
                 one.name)
        for one in ties.derived
    )  # fmt: skip
    rules = (
        TieCheck(one.shown, _count(before, one.text), _count(after, one.text), rows)
        for one in (bound.rule for bound in ties.rules)
    )  # fmt: skip
    return (*derived, *rules)


def _add_up(pieces: list[PieceCheck], name: str) -> int:
    return sum((piece.derived[name] for piece in pieces), Failures()).broken


def _count(pieces: list[PieceCheck], rule: str) -> int:
    return sum(piece.rules[rule] for piece in pieces)
