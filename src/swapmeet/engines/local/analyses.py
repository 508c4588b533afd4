"""Analyses of both tables in memory: coverage of intervals, queries, rare records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.core.base.seeds import Seed
from swapmeet.engines.local.interval_coverage import cover_intervals, find_method
from swapmeet.engines.local.pair import pair_tables, table_of
from swapmeet.engines.local.replicates import ReplicateReleases
from swapmeet.measures.side_by_side.answers import compare_answers
from swapmeet.measures.side_by_side.rare import compare_rare
from swapmeet.measures.weights import find_weight_name

if TYPE_CHECKING:
    from swapmeet.core.tables.conditions import Condition
    from swapmeet.core.tables.recoding.recoded import Recoded
    from swapmeet.core.tables.schema import Schema
    from swapmeet.engines.protocol import Request
    from swapmeet.engines.question import Analyses, Question
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.side_by_side.answers import Answers
    from swapmeet.measures.side_by_side.interval_coverage import IntervalCoverage
    from swapmeet.methods import Method


def find_method_of(release: Any, question: Question) -> Method | None:
    """The method of the release, if further releases are to be made; refuse if it is unknown."""
    if question.method is not None or not question.analyses.coverage:
        return question.method
    return find_method(release, question.audit)


def cover_models(
    original: Any,
    recoded: Recoded[Any],
    schema: Schema,
    method: Method | None,
    question: Question,
    comparison: Comparison,
) -> tuple[IntervalCoverage, ...]:
    """Estimate the coverage of the models' intervals, from further releases by the same method."""
    if method is None or not question.analyses.coverage:
        return ()
    releases = ReplicateReleases(
        table=recoded.data, schema=schema, method=method, seed=Seed.fresh(),
        workers=question.workers, before=original if recoded.results else None,
    )  # fmt: skip
    weight = find_weight_name(comparison)
    models = tuple(model.weigh_by(weight) for model in question.analyses.coverage)
    return cover_intervals(releases, models, question.replicates)


def ask_queries(original: Any, release: Any, analyses: Analyses) -> Answers | None:
    """The user's own queries, asked of both tables and of the other release."""
    if not analyses.queries:
        return None
    return compare_answers(original, table_of(release), analyses.queries, analyses.baseline)


def follow_rare(
    original: Any,
    release: Any,
    request: Request,
    comparison: Comparison,
    conditions: tuple[Condition, ...],
) -> tuple[Any, ...]:
    """Fate of the rows that meet each condition."""
    if not conditions:
        return ()
    pair = pair_tables(original, release, request.read_audit(), request.match)
    return tuple(
        compare_rare(
            pair.original, pair.released, condition, pair.places,
            owners_known=comparison.owners_known,
        )
        for condition in conditions
    )  # fmt: skip
